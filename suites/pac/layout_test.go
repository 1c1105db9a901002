package pac

import (
	"testing"

	"github.com/amgpu/amgpu/suites/program"
)

// TestSurrogateGroup: the ten bands of size L fill whole rounds on one, two and four
// devices, and a device that allows no more than 256 invocations gets no more.
func TestSurrogateGroup(t *testing.T) {
	shares := func(chunks ...int64) (out []program.Share) {
		at := int64(0)
		for _, n := range chunks {
			out = append(out, program.Share{Lo: at, Hi: at + n})
			at += n
		}
		return out
	}
	for _, c := range []struct {
		split       string
		shares      []program.Share
		invocations int64
		want        uint32
	}{
		{"batch", shares(64, 64), 1024, 320},              // 250 chunks: 2560 tasks
		{"permutation", shares(250), 1024, 320},           // the same
		{"permutation", shares(125, 125), 1024, 320},      // 1280
		{"permutation", shares(63, 63, 62, 62), 256, 256}, // 640, 320 is not allowed
		{"permutation", shares(62, 62, 63, 63), 1024, 320},
		{"permutation", shares(1, 0), 0, 256},      // nothing known of the device
		{"permutation", shares(26, 25), 1024, 288}, // 26 of 32 idle too many: 260 tasks
	} {
		l := layout{problem: &problem{split: c.split, chunks: 250, pha: make([]band, 10)}, shares: c.shares, invocations: c.invocations}
		if got := l.surrogateGroup(); got != c.want {
			t.Errorf("%s %v, %d invocations: work-groups of %d, expected %d", c.split, c.shares, c.invocations, got, c.want)
		}
	}
}
