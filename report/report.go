// Package report renders results: it knows the formats and where their files go.
// Renderers take a result and return bytes; nothing here needs Vulkan or a network.
package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// ErrRequest is the kind of error for a format that does not exist or that cannot
// go where it was asked to.
var ErrRequest = errors.New("report not possible as asked")

// ErrOutput is the kind of error for a folder or file that cannot be written.
var ErrOutput = errors.New("cannot write the report")

// Formats lists the names of all formats.
func Formats() []string {
	var out []string
	for _, f := range formats {
		out = append(out, f.name)
	}
	return out
}

// Render recomputes res and writes it in the formats named. With a folder (made if
// missing) it writes files there and returns their paths; without, everything
// goes to w, which formats of several files refuse. Errors are of kind ErrRequest
// or ErrOutput; nothing is written before every format is rendered.
func Render(res *result.Result, names []string, dir string, w io.Writer) ([]string, error) {
	return RenderWith(res, names, dir, w, Options{})
}

// Options are what else to show.
type Options struct {
	stat.Ask
	Factors bool // text and md: the table of factors; html and json have it always
	// History is shown by html as a trend; nil: none.
	History *gate.History
}

// RenderWith is Render with options.
func RenderWith(res *result.Result, names []string, dir string, w io.Writer, o Options) ([]string, error) {
	chosen, err := choose(names, dir)
	if err != nil {
		return nil, err
	}
	in := &input{res: res, factors: o.Factors, history: o.History}
	in.summary, in.laws, in.warnings = stat.SummaryFor(res, o.Ask)
	var files []file
	for _, f := range chosen {
		made, err := f.render(in)
		if err != nil {
			return nil, fmt.Errorf("rendering %s: %w", f.name, err)
		}
		files = append(files, made...)
	}
	if dir == "" {
		for _, f := range files {
			if _, err := w.Write(f.content); err != nil {
				return nil, err
			}
		}
		return nil, in.broken()
	}
	paths, err := save(dir, files)
	if err != nil {
		return paths, err
	}
	return paths, in.broken()
}

// ErrInternal is the kind of error for numbers that contradict each other. The
// report was written, without those numbers.
var ErrInternal = errors.New("internal error in the statistics")

// broken is ErrInternal when the factors of a row do not multiply to its efficiency.
func (in *input) broken() error {
	for _, r := range in.summary {
		for _, w := range r.Warnings {
			if w.Code == stat.IdentityBroken {
				return fmt.Errorf("%w: %s %s on %d: %s; please report it with the result file", ErrInternal, r.Workload, r.Mode, r.Count, w.Text)
			}
		}
	}
	return nil
}

func choose(names []string, dir string) ([]format, error) {
	var out []format
	for _, name := range names {
		i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
		if i < 0 {
			return nil, request("no format %q: use %s", name, strings.Join(Formats(), ", "))
		}
		if dir == "" && formats[i].many {
			return nil, request("format %s makes several files: name a folder with -o", name)
		}
		out = append(out, formats[i])
	}
	if len(out) == 0 {
		return nil, request("no format named: use %s", strings.Join(Formats(), ", "))
	}
	return out, nil
}

func request(format string, args ...any) error {
	return &kindError{ErrRequest, fmt.Sprintf(format, args...)}
}

// kindError is an error of one kind whose text is the message alone.
type kindError struct {
	kind error
	text string
}

func (e *kindError) Error() string { return e.text }
func (e *kindError) Unwrap() error { return e.kind }

// save writes files into dir, each as WriteFile does.
func save(dir string, files []file) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, &kindError{ErrOutput, fmt.Sprintf("cannot make the folder %s: %v", dir, err)}
	}
	var paths []string
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := WriteFile(path, f.content); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
