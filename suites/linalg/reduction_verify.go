package linalg

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/amgpu/amgpu/suites"
)

// partial is what the kernel leaves of one chunk.
type partial struct{ sum, max, negMin float32 }

// Verify checks the partials of chunks against their elements in float64, then every
// device's result against the canonical tree over all partials, bit for bit. Together
// the two cover the whole sum without making every element again.
func (reduction) Verify(c *suites.Check) (suites.Outcome, error) {
	n, _, err := reductionSource(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	cut := chunk(n)
	read, closeInput, err := elements(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	defer closeInput()
	var readError firstError
	tally, err := c.EachUnit("partials", cut.count, func(u int64, got []uint32, t *suites.Tally) {
		lo, hi := cut.bounds(u)
		ref, err := referenceChunk(lo, hi, read)
		if err != nil {
			readError.set(err)
			return
		}
		bound := suites.E1(cut.chain(), ref.magnitude) + float64(hi-lo)*smallestNormal
		if ref.magnitude > math.MaxFloat32 { // sums on the way may overflow, in both directions
			bound = math.Inf(1)
			if g := math.Float32frombits(got[0]); g != g {
				ref.sum = math.NaN()
			}
		}
		t.Near("partials", 3*u, got[0], ref.sum, bound)
		t.Float("partials", 3*u+1, got[1], zeroLike(got[1], ref.max))
		t.Float("partials", 3*u+2, got[2], zeroLike(got[2], -ref.min))
	})
	if err := errors.Join(err, readError.err); err != nil {
		return suites.Outcome{}, err
	}
	total, err := readTree(c, cut.count)
	if err != nil {
		return suites.Outcome{}, err
	}
	for d := range c.Program.Shares {
		if err := compareTotal(c, d, total, &tally); err != nil {
			return suites.Outcome{}, err
		}
	}
	return tally.Outcome("E1", fmt.Sprintf("tree over %d chunks exact on every device; average %.9g, minimum %.9g, maximum %.9g",
		cut.count, float64(total.sum)/float64(n), -total.negMin, total.max)), nil
}

// smallestNormal allows each addition of subnormal numbers to be flushed to zero.
const smallestNormal = 0x1p-126

// elements returns a reader of input elements that may run on several goroutines.
func elements(b suites.Build) (read func(lo int64, into []float32) error, closeInput func(), err error) {
	if b.Input == "" {
		stream := suites.Stream{Seed: b.Seed, Workload: reductionNumber, Array: reductionInput.ID}
		return func(lo int64, into []float32) error {
			for i := range into {
				into[i] = stream.F32(lo+int64(i), reductionInput.A, reductionInput.B)
			}
			return nil
		}, func() {}, nil
	}
	_, f, err := openNumbers(b.Input)
	if err != nil {
		return nil, nil, err
	}
	return f.read, func() { _ = f.Close() }, nil
}

// reference is one chunk in float64; max and min pass NaN over, as the kernel does.
type reference struct {
	sum, magnitude float64
	max, min       float32
}

// referenceChunk reduces the elements [lo,hi).
func referenceChunk(lo, hi int64, read func(int64, []float32) error) (reference, error) {
	r := reference{max: float32(math.Inf(-1)), min: float32(math.Inf(1))}
	buffer := make([]float32, min(hi-lo, 1<<14))
	for at := lo; at < hi; at += int64(len(buffer)) {
		part := buffer[:min(hi-at, int64(len(buffer)))]
		if err := read(at, part); err != nil {
			return r, err
		}
		for _, x := range part {
			r.sum += float64(x)
			r.magnitude += math.Abs(float64(x))
			if x > r.max {
				r.max = x
			}
			if x < r.min {
				r.min = x
			}
		}
	}
	return r, nil
}

// zeroLike is want, or got when both are zeros: which of +0 and -0 is the extreme of a
// chunk holding both depends on the order, and either is right.
func zeroLike(got uint32, want float32) float32 {
	if g := math.Float32frombits(got); g == 0 && want == 0 {
		return g
	}
	return want
}

// readTree reads all partials and combines them along the canonical tree.
func readTree(c *suites.Check, count int64) (partial, error) {
	words, err := c.Out.Words("partials", 0, 3*count)
	if err != nil {
		return partial{}, err
	}
	chunks := make([]partial, count)
	for i := range chunks {
		chunks[i] = partial{
			math.Float32frombits(words[3*i]), math.Float32frombits(words[3*i+1]), math.Float32frombits(words[3*i+2]),
		}
	}
	return tree(chunks), nil
}

// tree combines partials as program.ByChunk says: level by level partial i absorbs
// partial i+s. It overwrites its argument, which must not be empty.
func tree(p []partial) partial {
	for s := 1; s < len(p); s *= 2 {
		for i := 0; i+s < len(p); i += 2 * s {
			a, b := p[i], p[i+s]
			a.sum += b.sum
			if b.max > a.max {
				a.max = b.max
			}
			if b.negMin > a.negMin {
				a.negMin = b.negMin
			}
			p[i] = a
		}
	}
	return p[0]
}

// compareTotal compares one device's result with the tree.
func compareTotal(c *suites.Check, device int, want partial, t *suites.Tally) error {
	sum, err := c.Out.LocalWords("sum", device, 0, 1)
	if err != nil {
		return err
	}
	extremes, err := c.Out.LocalWords("extremes", device, 0, 2)
	if err != nil {
		return err
	}
	t.Float("sum", 0, sum[0], want.sum)
	t.Float("extremes", 0, extremes[0], want.max)
	t.Float("extremes", 1, extremes[1], want.negMin)
	return nil
}

// firstError keeps the first error of several goroutines.
type firstError struct {
	once sync.Once
	err  error
}

func (e *firstError) set(err error) { e.once.Do(func() { e.err = err }) }
