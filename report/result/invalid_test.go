package result_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/report/result"
)

func TestVoidKeepsEarlierReasons(t *testing.T) {
	x := result.Trial{Samples: []float64{1, 2, 3}, Invalid: []result.InvalidSample{{Index: 1, Reason: result.InvalidThrottled}}}
	if v := x.Valid(); !v.Of(0) || v.Of(1) || v.Of(3) {
		t.Errorf("valid: %v", v)
	}
	if v := (&result.Trial{Samples: []float64{1}}).Valid(); !v.Of(0) {
		t.Error("a sample without a mark is not valid")
	}
	x.Void(result.InvalidMismatch, "digest")
	want := []result.InvalidSample{{Index: 1, Reason: result.InvalidThrottled},
		{Index: 0, Reason: result.InvalidMismatch, Detail: "digest"}, {Index: 2, Reason: result.InvalidMismatch, Detail: "digest"}}
	if d := cmp.Diff(want, x.Invalid); d != "" {
		t.Error(d)
	}
}
