package result

import "errors"

// Kinds of errors of reading and journalling; test with errors.Is. The message
// around them names the file and what to do next.
var (
	// ErrMalformed: not an amgpu result, truncated, or with impossible values.
	ErrMalformed = errors.New("not a readable amgpu result")
	// ErrNewer: written by an amgpu with a newer major schema.
	ErrNewer = errors.New("newer result schema")
	// ErrBusy: the journal belongs to a process that is still measuring.
	ErrBusy = errors.New("result file in use")
	// ErrOutput: the result file cannot be created where it was asked for.
	ErrOutput = errors.New("cannot write the result file")
)

// fault is an error of one kind whose text is the message alone.
type fault struct {
	kind error
	text string
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.kind }
