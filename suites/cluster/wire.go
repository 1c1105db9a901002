package cluster

import (
	"context"
	"errors"

	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// kinds are the errors that must be known again behind the wire.
var kinds = []error{
	engine.ErrUnsupported, vk.ErrUnsupported, vk.ErrOutOfMemory, vk.ErrDeviceLost, vk.ErrTimeout, vk.ErrStuck,
	peer.ErrWrongData, ErrAborted, ErrRankLost, context.Canceled, context.DeadlineExceeded,
}

// wireError is an error as it travels.
type wireError struct {
	Text  string
	Kinds []int
	Call  *vk.CallError
}

// remoteError is an error that has travelled.
type remoteError struct {
	text  string
	under []error
}

func (e *remoteError) Error() string   { return e.text }
func (e *remoteError) Unwrap() []error { return e.under }

func pack(err error) *wireError {
	if err == nil {
		return nil
	}
	w := &wireError{Text: err.Error()}
	for i, k := range kinds {
		if errors.Is(err, k) {
			w.Kinds = append(w.Kinds, i)
		}
	}
	_ = errors.As(err, &w.Call)
	return w
}

func (w *wireError) unpack() error {
	if w == nil {
		return nil
	}
	e := &remoteError{text: w.Text}
	for _, i := range w.Kinds {
		if i < len(kinds) {
			e.under = append(e.under, kinds[i])
		}
	}
	if w.Call != nil {
		e.under = append(e.under, w.Call)
	}
	return e
}
