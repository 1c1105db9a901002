package result

import (
	"strings"
	"testing"
)

func TestBadSpan(t *testing.T) {
	for _, c := range []struct {
		span Span
		want string
	}{
		{Span{Device: 3, Kind: "wait", Start: -1e-6, End: 1}, ""},
		{Span{Device: 77, Kind: "wait", End: 1}, "device 77"},
		{Span{Device: -1, Kind: "wait", End: 1}, "device -1"},
		{Span{Device: 3, Kind: "bogus", End: 1}, `kind "bogus"; this amgpu knows compute`},
		{Span{Device: 3, Kind: "host", End: -5}, "ends at -5 s, before it begins"},
	} {
		got := badSpan(c.span, []int{1, 3})
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.span, got, c.want)
		}
	}
}
