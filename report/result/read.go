package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Read returns the result in path. If a journal lies beside it, the journal is
// folded first, as far as this process may: the journal of a live process and
// those in folders that cannot be written are folded in memory only. Each finish
// is called on a folded result before it is written (stat.Fill makes the summary).
// Errors are ErrMalformed, ErrNewer or those of the file system.
func Read(path string, finish ...func(*Result)) (*Result, error) {
	res, found, err := readJournal(path, finish)
	if err != nil || found {
		return res, err
	}
	return readFile(path)
}

// ReadSamples is Read without what the device clocks saw (Times and Spans of trials):
// nearly all of a large file, of which comparisons of times need nothing. It is stepped
// over, so that what is wrong within it is not found, and takes no memory.
func ReadSamples(path string) (*Result, error) {
	res, found, err := readJournal(path, nil)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return readWith(path, &cutter{lean: true})
	}
	for i := range res.Trials {
		res.Trials[i].Times, res.Trials[i].Spans = Times{}, nil
	}
	return res, nil
}

func readFile(path string) (*Result, error) { return readWith(path, &cutter{}) }

// readWith reads a file with a cutter that has none yet.
func readWith(path string, c *cutter) (_ *Result, err error) {
	if err := plain(os.Stat(path)); err != nil { // before opening, which may do things to a device
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe put there since does not wait
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := plain(f.Stat()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c.r = f
	res, err := c.result()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return res, nil
}

// plain refuses what is no ordinary file: reading a pipe or a device may never end.
func plain(info os.FileInfo, err error) error {
	switch {
	case err != nil || info.Mode().IsRegular():
		return nil //nolint:nilerr // a file that is not there is said by what opens it
	case info.IsDir():
		return &fault{ErrMalformed, "is a folder, not a result file; name the file inside it"}
	case info.Mode()&os.ModeNamedPipe != 0:
		return &fault{ErrMalformed, "is a pipe, not a result file; store the result in a file first"}
	case info.Mode()&os.ModeSocket != 0:
		return &fault{ErrMalformed, "is a socket, not a result file"}
	}
	return &fault{ErrMalformed, "is a device, not a result file; store the result in a file first"}
}

// Decode reads one document. Unknown fields are ignored.
func Decode(r io.Reader) (*Result, error) { return (&cutter{r: r}).result() }

// result reads all of a document.
func (c *cutter) result() (*Result, error) {
	res := &Result{}
	if err := decode(c, res); err != nil {
		return nil, explain(err, c.base+int64(len(c.text)))
	}
	if err := validate(res); err != nil {
		return nil, err
	}
	return res, nil
}

// decode reads the trials as they come and the other fields at the end: of a newer
// schema, which comes first in our files alone, they may have another shape.
func decode(c *cutter, res *Result) error {
	if err := c.begin(); err != nil {
		return err
	}
	var fields []member
	for last := c.next('}'); !last; {
		m, err := c.member()
		if err != nil {
			return err
		}
		if m.name == "trials" {
			res.Trials, err = decodeTrials(c, res.Trials[:0])
		} else {
			m.raw, err = c.value()
			m.raw = bytes.Clone(m.raw)
		}
		if err == nil && m.name == "schema" {
			err = checkSchema(m.raw)
		}
		if err != nil {
			return err
		}
		fields = append(fields, m)
		if last, err = c.follows('}'); err != nil {
			return err
		}
	}
	if _, err := c.peek(); err == nil {
		return &fault{ErrMalformed, "text follows the end of the result; is it two files in one?"}
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	if !slices.ContainsFunc(fields, func(m member) bool { return m.name == "schema" }) {
		return &fault{ErrMalformed, `not an amgpu result: it has no "schema"`}
	}
	return assign(res, fields)
}

// assign puts the fields into the result; one told twice counts as told last.
func assign(res *Result, fields []member) error {
	v := reflect.ValueOf(res).Elem()
	for _, m := range fields {
		if m.name == "trials" {
			continue
		}
		var into any = new(json.RawMessage) // unknown: checked, and ignored
		if i := slices.IndexFunc(fieldNames, func(name string) bool { return strings.EqualFold(name, m.name) }); i >= 0 {
			v.Field(i).SetZero()
			into = v.Field(i).Addr().Interface()
		}
		if err := json.Unmarshal(m.raw, into); err != nil {
			return explain(err, m.at+within(err))
		}
	}
	return nil
}

// fieldNames are the names in files of the fields of Result, in their order.
var fieldNames = func() (names []string) {
	for f := range reflect.TypeFor[Result]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}()

// within is how far into its text an error of the JSON decoder lies.
func within(err error) int64 {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return syntax.Offset
	case errors.As(err, &kind):
		return kind.Offset
	}
	return 0
}

// checkSchema accepts amgpu/v1 and its minor versions (amgpu/v1.2).
func checkSchema(raw json.RawMessage) error {
	var schema string
	if err := json.Unmarshal(raw, &schema); err != nil {
		return &fault{ErrMalformed, `not an amgpu result: "schema" is not a string`}
	}
	version, ok := strings.CutPrefix(schema, "amgpu/v")
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.ParseUint(major, 10, 32)
	switch {
	case !ok || err != nil || n == 0:
		return &fault{ErrMalformed, fmt.Sprintf("not an amgpu result: schema %.40q, want %q", schema, Schema)}
	case n > 1:
		return &fault{ErrNewer, fmt.Sprintf("written with schema %.40q, this amgpu reads up to %q: use a newer amgpu", schema, Schema)}
	}
	return nil
}

// explain turns what the JSON decoder says into a sentence about the file.
func explain(err error, offset int64) error {
	var own *fault
	if errors.As(err, &own) {
		return err
	}
	text := fmt.Sprintf("not a readable amgpu result: %s (near byte %d)", plainly(err), offset)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		text = fmt.Sprintf("truncated: the result ends early, after %d bytes; restore it or measure again", offset)
	case errors.Is(err, io.EOF):
		text = "the file is empty; measure again"
	case !isJSON(err):
		return err // reading failed, the content is not to blame
	}
	return &fault{ErrMalformed, text}
}

func isJSON(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		return true
	}
	var path *os.PathError
	return !errors.As(err, &path) // time.Time and the like have errors of their own
}
