package cmd

import (
	"errors"
	"fmt"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// A transport that delivered wrong data is a wrong result, whatever else was
// refused beside it; one that is not there is unsupported.
func TestClassifyLinks(t *testing.T) {
	wrong := fmt.Errorf("transport cuda, link 0 -> 1: %w: 5 words", peer.ErrWrongData)
	absent := fmt.Errorf("transport host: %w", vk.ErrUnsupported)
	for _, test := range []struct {
		err  error
		want string
	}{
		{wrong, result.WrongResult},
		{errors.Join(absent, wrong), result.WrongResult},
		{absent, result.Unsupported},
	} {
		var f *scale.Failure
		if err := classify(test.err); !errors.As(err, &f) || f.Status != test.want {
			t.Errorf("%v is %v, want %s", test.err, err, test.want)
		}
	}
}
