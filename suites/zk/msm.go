package zk

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(msm{}) }

type msm struct{}

const (
	msmNumber = 33
	idScalars = 1
	// scalarBits is the length of scalars; scalarWords are stored of each.
	scalarBits, scalarWords = 254, 8
	splitPoints             = "points"
	splitWindows            = "windows"
	// mostSummands is what the tables reach half of; mostWindow bounds the buckets.
	mostSummands, mostWindow = 1 << 26, 16
	// 2^segmentLog buckets are added by an invocation of zk/msm_reduce.
	segmentLog = 4
	// Products of a mixed addition, of a full one, and of a bucket in zk/msm_reduce: two
	// additions, and its part of multiplying a segment's sum by a number of a window's bits.
	mixedMuls, fullMuls, bucketMuls = 11, 16, 46
	// mulOps are operations of a product: 136 multiplications of words, each with an addition.
	mulOps = 2 * 136
)

// msmChunk is the places that an invocation of zk/msm_accumulate adds up.
var msmChunk = suites.Tunable{Name: "chunk", Doc: "points that an invocation adds to buckets", Values: []int64{16, 32, 64}, Default: 64}

func (msm) Info() suites.Info {
	return suites.Info{
		ID: "zk/msm", Number: msmNumber,
		Doc:           "Multi-scalar multiplication on the curve BN254 (G1) by Pippenger's buckets",
		Source:        "SuperVM; Pippenger 1976, EIP-196 (curve), Bernstein and Lange's EFD (madd-2007-bl, add-2007-bl, dbl-2009-l)",
		Formula:       "sum of s_i P_i, P_i = i G, i from 1 on, s_i of 254 bits; y^2 = x^3 + 3 over a field of 254 bits, G = (1, 2)",
		Sizes:         suites.Sizes{S: 192, M: 1 << 20, L: 1 << 24},
		SizeUnit:      "points",
		WorkUnit:      "point",
		Flops:         "272 integer operations a product; 11 products a point and window, 32 a bucket",
		Arithmetic:    "int32",
		Bytes:         "96 a point",
		Splits:        []string{splitPoints, splitWindows},
		Communication: "points: 96 B a window from every device; windows: 96 B from the owner of each. The host adds them up",
		Tolerance:     "E0 (affine); D0",
		Weak:          "points proportional to the number of devices",
		Tunables:      []suites.Tunable{msmChunk, wide},
		Params: []suites.Param{
			{Name: "window", Doc: "bits of a window, 0: what takes the fewest products; windows are then made equally long", Default: 0, Min: 0, Max: mostWindow},
			{Name: "scalars", Doc: "0: random; 1: 0, 1, r-1 and other special ones in turn; 2: s_i = i", Default: 0, Min: 0, Max: 2},
			{Name: "points", Doc: "0: i G; 1: infinity, G, -G, 2G and the like in turn", Default: 0, Min: 0, Max: 1},
		},
	}
}

// sumOf is the shape of the problem on a team.
type sumOf struct {
	n         int64
	windows   int64
	log       int // bits of the longest window
	byWindows bool
	chunk     int64 // places
	wide      bool
	scalars   int64 // kinds
	points    int64
	shares    []program.Share
}

// msmOf divides and chooses windows: those that take the fewest products on the device with
// most points. Their number changes no bit of the result.
func msmOf(b suites.Build) (sumOf, error) {
	m := sumOf{n: b.Size, byWindows: b.Split == splitWindows, scalars: b.Params["scalars"], points: b.Params["points"]}
	if m.n < 1 || m.n > mostSummands {
		return m, fmt.Errorf("zk/msm: %d points: choose 1 to %d", m.n, int64(mostSummands))
	}
	m.chunk, m.wide = b.Tuned(msmChunk), isWide(b)
	most := m.n
	if !m.byWindows {
		m.shares = b.Divide(m.n, 1)
		most = m.mostPoints()
	}
	bits := b.Params["window"]
	if bits == 0 {
		bits = bestWindow(most)
	}
	m.windows = (scalarBits + bits - 1) / bits
	m.log = int((scalarBits + m.windows - 1) / m.windows)
	if m.byWindows {
		m.shares = b.Divide(m.windows, 1)
	}
	if limit := b.Limits.BindingBytes; limit > 0 {
		_, windows := m.of(0)
		for d := range m.shares {
			_, w := m.of(d)
			windows = max(windows, w)
		}
		if bytes := most * max(4*windows, 4*affineWords); bytes > limit {
			return m, fmt.Errorf("zk/msm: %d bytes of points or of their order on a device do not fit a binding of %d: choose fewer points or more devices", bytes, limit)
		}
	}
	return m, nil
}

// bestWindow is the number of bits with the fewest products for n points.
func bestWindow(n int64) (best int64) {
	least := int64(0)
	for bits := int64(1); bits <= mostWindow; bits++ {
		windows := (scalarBits + bits - 1) / bits
		if cost := windows * (mixedMuls*n + bucketMuls<<bits); best == 0 || cost < least {
			best, least = bits, cost
		}
	}
	return best
}

// first is the lowest bit of a window.
func (m sumOf) first(window int64) int64 { return scalarBits * window / m.windows }

// of is how many points a device has, in how many windows.
func (m sumOf) of(device int) (points, windows int64) {
	if m.byWindows {
		return m.n, m.shares[device].Len()
	}
	return m.shares[device].Len(), m.windows
}

func (m sumOf) mostPoints() (most int64) {
	for _, s := range m.shares {
		most = max(most, s.Len())
	}
	return most
}

// slots are the sums of windows that the host adds up, slot the first one of a device.
func (m sumOf) slots() int64 {
	if m.byWindows {
		return m.windows
	}
	return m.windows * int64(len(m.shares))
}

func (m sumOf) slot(device int) int64 {
	if m.byWindows {
		return m.shares[device].Lo
	}
	return m.windows * int64(device)
}

func (m sumOf) chunks(points int64) int64 { return (points + m.chunk - 1) / m.chunk }

// segment is log2 of the buckets of a segment, parts how many segments a window has.
func (m sumOf) segment() int { return min(segmentLog, m.log) }

func (m sumOf) parts() int64 { return 1 << (m.log - m.segment()) }
