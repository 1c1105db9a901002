package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
)

// Encode writes res as one JSON document, one trial a line, without holding the
// whole text in memory. Values that JSON cannot hold (NaN, infinities) are an error.
func Encode(w io.Writer, res *Result) error {
	b := bufio.NewWriterSize(w, 1<<16)
	v := reflect.ValueOf(*res)
	sep := "{\n"
	for i := range v.NumField() {
		name, option, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		field := v.Field(i)
		if option == "omitempty" && field.IsZero() {
			continue
		}
		if _, err := fmt.Fprintf(b, "%s %q: ", sep, name); err != nil {
			return err
		}
		sep = ",\n"
		var err error
		switch list := field.Interface().(type) {
		case []Trial:
			err = encodeTrials(b, list)
		default:
			err = encodeField(b, field)
		}
		if err != nil {
			return fmt.Errorf("result field %q: %w", name, err)
		}
	}
	if _, err := b.WriteString("\n}\n"); err != nil {
		return err
	}
	return b.Flush()
}

// encodeField writes one field; a nil slice becomes [] so that readers need no
// second case.
func encodeField(b *bufio.Writer, field reflect.Value) error {
	if field.Kind() == reflect.Slice && field.IsNil() {
		_, err := b.WriteString("[]")
		return err
	}
	raw, err := json.Marshal(field.Interface())
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, " ", " "); err != nil {
		return err
	}
	_, err = b.Write(out.Bytes())
	return err
}

// ahead is how many trials are encoded before they can be written: who compresses what is
// written takes longer than encoding does.
const ahead = 16

func encodeTrials(b *bufio.Writer, trials []Trial) error {
	type line struct {
		text []byte
		err  error
	}
	lines, stop := make(chan line, ahead), make(chan struct{})
	var encoding sync.WaitGroup
	encoding.Go(func() {
		defer close(lines)
		for i := range trials {
			text, err := marshalTrial(trials[i])
			select {
			case lines <- line{text, err}:
			case <-stop:
				return
			}
		}
	})
	defer encoding.Wait() // trials are the caller's
	defer close(stop)
	sep := "[\n  "
	for l := range lines {
		if l.err != nil {
			return l.err
		}
		if _, err := b.WriteString(sep); err != nil {
			return err
		}
		if _, err := b.Write(l.text); err != nil {
			return err
		}
		sep = ",\n  "
	}
	if len(trials) == 0 {
		_, err := b.WriteString("[]")
		return err
	}
	_, err := b.WriteString("\n ]")
	return err
}

// marshalTrial is a trial as one line without null lists.
func marshalTrial(t Trial) ([]byte, error) {
	if t.Samples == nil {
		t.Samples = []float64{}
	}
	if t.Devices == nil {
		t.Devices = []int{}
	}
	raw, err := t.MarshalJSON() // json.Marshal would go over the text once more
	if err != nil {
		return nil, fmt.Errorf("trial of %s, %d devices, launch %d: %w", t.Workload, t.Count, t.Launch, err)
	}
	return raw, nil
}

// Write replaces path by res: a temporary file in the same folder, synced, then
// renamed. After an error path is as it was.
func Write(path string, res *Result) error {
	target, err := resolve(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(target)
	tmp, err := CreateTemp(dir)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	err = Encode(tmp, res)
	if err == nil {
		err = tmp.Sync()
	}
	if info, statErr := os.Stat(target); err == nil && statErr == nil {
		err = tmp.Chmod(info.Mode().Perm())
	}
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), target)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", path, cause(err)), os.Remove(tmp.Name()))
	}
	return syncDir(dir)
}

// cause is the error without the name of a temporary file, which no user knows.
func cause(err error) error {
	var path *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// syncDir makes a rename durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// resolve follows links so that the file they name is replaced, not the link.
func resolve(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, os.ErrNotExist) {
		// A link to a file that is still to be written.
		if to, linkErr := os.Readlink(path); linkErr == nil {
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(path), to)
			}
			return resolve(to)
		}
		return path, nil
	}
	var inner *os.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	if _, statErr := os.Stat(path); err != nil && errors.Is(statErr, syscall.ELOOP) {
		err = syscall.ELOOP
	}
	if err != nil {
		return "", &os.PathError{Op: "open", Path: path, Err: err} // with the name the user knows
	}
	return target, nil
}
