package zk

import (
	"github.com/amgpu/amgpu/suites/dft"
	"github.com/amgpu/amgpu/suites/program"
)

// run is a part of a table: powers of base from the zeroth on.
type run struct {
	n    int64
	base uint64
}

// roots is the table of powers that all passes of a transform of 2^m points read.
func roots(name string, f *field, m int, inverse bool) program.Array {
	w := f.rootOf(m, inverse)
	return table(name, f, append([]run{{1 << dft.MostPoints, f.rootOf(dft.MostPoints, inverse)}}, twoLevels(f, w, m)...))
}

// powers is the table from which a product of two gives any power of w below 2^m.
func powers(name string, f *field, w uint64, m int) program.Array {
	return table(name, f, twoLevels(f, w, m))
}

func twoLevels(f *field, w uint64, m int) []run {
	h := dft.Half(m)
	return []run{{1 << h, w}, {1 << (m - h), f.pow(w, 1<<h)}}
}

// table is an array of the same constants on every device.
func table(name string, f *field, runs []run) program.Array {
	var total int64
	for _, r := range runs {
		total += r.n
	}
	return program.Array{
		Name: name, Elem: program.U32, Layout: program.Replicated, Units: total, Stride: f.words,
		Source: program.Source{Kind: program.Made, Make: func(_ int, first int64, into []uint32) {
			words := make([]uint32, f.words)
			var start int64
			for _, r := range runs {
				lo, hi := max(start*f.words, first), min((start+r.n)*f.words, first+int64(len(into)))
				if lo < hi {
					x := f.constant(f.pow(r.base, uint64(lo/f.words-start)))
					for i := lo; i < hi; i++ {
						f.put(x, words)
						into[i-first] = words[i%f.words]
						if i%f.words == f.words-1 {
							x = f.mul(x, r.base)
						}
					}
				}
				start += r.n
			}
		}},
	}
}
