package stat

import (
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// large is 10,000 trials with device times: perRow launches a row, counts 1 to 8.
func large(perRow int) *result.Result {
	b := newBench("default", make([]float64, 8)...)
	for i := 0; len(b.res.Trials) < 10_000; i++ {
		for block := range perRow {
			for _, n := range []int{1, 2, 3, 4, 6, 8} {
				p := phases{compute: [][]float64{make([]float64, n)}, transfer: [][]float64{make([]float64, n)}}
				for d := range n {
					p.compute[0][d], p.transfer[0][d] = 1/float64(n), .01
				}
				t := b.add("strong", block, 1, 1000, devicesOf(n)...)
				p.time(t, .01+.001*b.random.NormFloat64())
				t.Size.N = int64(100 + i)
			}
		}
	}
	return b.res
}

func BenchmarkSummary(b *testing.B) {
	for name, perRow := range map[string]int{"7 launches a row": 7, "200 launches a row": 200} {
		res := large(perRow)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Summary(res)
			}
		})
	}
}
