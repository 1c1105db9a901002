package cmd

import "io"

// written is stdout for what cobra writes by itself, help and completion: it prints an
// error there without a code, or takes it for one of usage. The first is kept for Main.
type written struct {
	w   io.Writer
	err error
}

// Write always succeeds; after the first error nothing is written any more.
func (o *written) Write(p []byte) (int, error) {
	if o.err == nil {
		_, o.err = o.w.Write(p)
	}
	return len(p), nil
}
