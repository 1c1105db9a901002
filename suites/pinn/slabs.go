package pinn

import "github.com/amgpu/amgpu/suites/program"

const (
	// spatial divides the points by x.
	spatial = "spatial"
	// overlapUnit is the unit of the parameter overlap.
	overlapUnit = 1000
)

// byDevice tells whether gradients are added device by device instead of along the chunk
// tree: devices are weighed, or points near the border of two slabs belong to both.
func (l lesson) byDevice() bool { return l.aggregate != weighted || l.overlap > 0 }

// slabs are the chunks that the devices with these shares compute: with an overlap also
// those of their neighbours that reach into the strip of that width around the border.
func (l lesson) slabs(shares []program.Share) []program.Share {
	out := make([]program.Share, len(shares))
	x := func(point int64) float32 { return l.at[point][0] }
	for d, s := range shares {
		out[d] = s
		if l.overlap == 0 || s.Len() == 0 {
			continue
		}
		for lo := &out[d].Lo; *lo > 0 && x(*lo*l.chunk-1) > x(s.Lo*l.chunk)-l.overlap/2; {
			*lo--
		}
		for hi := &out[d].Hi; *hi < l.chunks && x(*hi*l.chunk) < x(s.Hi*l.chunk)+l.overlap/2; {
			*hi++
		}
	}
	return out
}

// reach is the most chunks beyond a share on either side.
func (l lesson) reach(shares []program.Share) (n int64) {
	for d, s := range l.slabs(shares) {
		n = max(n, shares[d].Lo-s.Lo, s.Hi-shares[d].Hi)
	}
	return n
}
