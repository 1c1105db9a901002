package engine

import "github.com/amgpu/amgpu/suites/program"

// holder is the device that holds unit u of a divided array, and the units [lo,hi)
// around it that it holds as well.
func (s *Session) holder(u int64) (device int, lo, hi int64) {
	if s.deal == nil {
		d := ownerOf(s.prog.Shares, u)
		return d, s.prog.Shares[d].Lo, s.prog.Shares[d].Hi
	}
	c := int(u / s.deal.chunks.size)
	lo, hi = s.deal.chunks.bounds(c)
	return int(s.deal.owners[c]), lo, hi
}

// held lists the runs of units of a divided array that device i answers for.
func (s *Session) held(i int) []program.Share {
	if s.deal == nil {
		return []program.Share{s.prog.Shares[i]}
	}
	var out []program.Share
	for c, owner := range s.deal.owners {
		if int(owner) == i {
			lo, hi := s.deal.chunks.bounds(c)
			if n := len(out); n > 0 && out[n-1].Hi == lo {
				out[n-1].Hi = hi
			} else {
				out = append(out, program.Share{Lo: lo, Hi: hi})
			}
		}
	}
	return out
}
