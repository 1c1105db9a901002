package ga

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func normalizedByDevice(b suites.Build) []uint32 {
	src := inputs(b.Params["tiny"])
	in := suites.Stream{Seed: b.Seed, Workload: normalizeNumber, Array: src.ID}
	words := make([]uint32, 8*b.Size)
	for i := range b.Size {
		var a [8]float32
		var square float32
		for j := range a {
			a[j] = in.F32(8*i+int64(j), src.A, src.B)
			square += a[j] * a[j]
		}
		scale := float32(0)
		if square >= 1e-28 {
			scale = float32(1 / math.Sqrt(float64(square)))
		}
		for j, x := range a {
			words[8*i+int64(j)] = math.Float32bits(x * scale)
		}
	}
	return words
}

func TestNormalizeVerify(t *testing.T) {
	for tiny := range int64(2) {
		b := suitetest.Build(normalize{}, 1<<14+3, 3)
		b.Params["tiny"] = tiny
		p, err := (normalize{}).Build(b)
		if err == nil {
			err = suitetest.Invariants(p, 3)
		}
		if err != nil {
			t.Fatal(err)
		}
		words := normalizedByDevice(b)
		zeros := 0
		for i := range b.Size {
			if (words[8*i]|words[8*i+7])<<1 == 0 { // of either sign
				zeros++
			}
		}
		if share := float64(zeros) / float64(b.Size); tiny == 1 && (share < 0.2 || share > 0.8) || tiny == 0 && zeros > 0 {
			t.Errorf("tiny %d: %v of the results are zero", tiny, share)
		}
		c := &suites.Check{Build: b, Program: p, Out: suitetest.Memory{Arrays: map[string][]uint32{"y": words}}}
		for _, c.Full = range []bool{true, false} {
			got, err := (normalize{}).Verify(c)
			if err != nil || got.Wrong != "" || got.Checked < suites.MinSampled || got.Worst <= 0 || got.Worst > 1 {
				t.Errorf("tiny %d, full %v: %+v, %v", tiny, c.Full, got, err)
			}
		}
		at := 8 * (p.Shares[0].Hi - 1)
		for j := range int64(8) {
			words[at+j] ^= 1 << 30
		}
		for _, c.Full = range []bool{true, false} {
			if got, err := (normalize{}).Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "y[") {
				t.Errorf("tiny %d, full %v misses a wrong result: %+v, %v", tiny, c.Full, got, err)
			}
		}
	}
}
