package pinn

import (
	"fmt"
	"math"
	"slices"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func tanh(x float64) float64 { return math.Tanh(x) }

const (
	gradientTolerance = 2e-5 // relative L2
	termTolerance     = 2e-6 // likewise, of the gradient of the residuals' terms
	curveTolerance    = 1e-4 // relative, from the start in 64 bits
	sampledChunks     = 4
	// wholeWork bounds the multiplications of a reference from the start.
	wholeWork = 1 << 31
)

// Verify compares the gradients of the last step, chunk by chunk, with reverse mode in 64
// bits at the parameters before it, their sum, the optimizer's step, and on small problems
// the whole loss curve. It measures the error against the exact solution.
func (train) Verify(c *suites.Check) (suites.Outcome, error) {
	l, err := lessonOf(c.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	before, err := parameters(c.Out, "theta_before", l.stride())
	if err != nil {
		return suites.Outcome{}, err
	}
	all, err := l.checkChunks(c, before)
	if err != nil {
		return suites.Outcome{}, err
	}
	if err := l.checkSum(c, &all); err != nil {
		return suites.Outcome{}, err
	}
	if err := l.checkUpdate(c, before, &all); err != nil {
		return suites.Outcome{}, err
	}
	curve, err := parameters(c.Out, "curve", 4*l.steps)
	if err != nil {
		return suites.Outcome{}, err
	}
	theta, err := parameters(c.Out, "theta", l.stride())
	if err != nil {
		return suites.Outcome{}, err
	}
	off := suites.Measure{Name: "relative L2 error against the exact solution", Value: l.solutionError(theta)}
	self := fmt.Sprintf("%s %.3g after %d steps", off.Name, off.Value, l.steps)
	if float64(l.cloud.total)*float64(6*l.channels()*l.weights())*float64(l.steps) <= wholeWork {
		l.checkCurve(curve, c.Program.Shares, &all)
		self += "; loss curve recomputed in 64 bits"
	}
	out := all.Outcome("E3", self)
	out.Training = l.training(curve)
	out.Training.Measures = []suites.Measure{off}
	return out, nil
}

func parameters(r suites.Reader, array string, n int64) ([]float64, error) {
	words, err := r.LocalWords(array, 0, 0, n)
	if err != nil {
		return nil, err
	}
	out := make([]float64, n)
	for i, w := range words {
		out[i] = float64(math.Float32frombits(w))
	}
	return out, nil
}

// checkChunks compares every gradient of a chunk, or sampled ones with the ends of shares.
func (l lesson) checkChunks(c *suites.Check, theta []float64) (suites.Tally, error) {
	chosen := suites.SampleIndices(c.Build.Seed, trainNumber, 0, l.chunks, sampledChunks)
	if c.Full {
		chosen = suites.SampleIndices(c.Build.Seed, trainNumber, 0, l.chunks, int(l.chunks))
	}
	got := make([][]uint32, len(chosen))
	for i, u := range chosen {
		var err error
		if got[i], err = l.partial(c.Out, u); err != nil {
			return suites.Tally{}, err
		}
	}
	return suites.Spread(int64(len(chosen)), func(lo, hi int64, t *suites.Tally) {
		for i := lo; i < hi; i++ {
			terms := make([]float64, l.stride())
			want := l.chunkGradient(theta, chosen[i], terms)
			l.compareGradient(chosen[i], got[i], want, terms, t)
		}
	}), nil
}

// partial is the gradient of a chunk, together from the stages that hold parts of it.
func (l lesson) partial(r suites.Reader, chunk int64) ([]uint32, error) {
	words, err := r.Words("partials", chunk*l.stride(), l.stride())
	if l.stages == 1 || err != nil {
		return words, err
	}
	sum := slices.Clone(words)
	for s := int64(1); s < l.stages; s++ {
		if words, err = r.Words("partials", (s*l.padded+chunk)*l.stride(), l.stride()); err != nil {
			return nil, err
		}
		for i, w := range words {
			sum[i] = math.Float32bits(math.Float32frombits(sum[i]) + math.Float32frombits(w))
		}
	}
	return sum, nil
}

// compareGradient compares one gradient in the L2 norm, its losses one by one. Where a
// network is near the solution, residuals are small beside their terms, and so is the
// gradient beside the one of these.
func (l lesson) compareGradient(chunk int64, got []uint32, want, terms []float64, t *suites.Tally) {
	var norm, size, off float64
	losses := l.net.losses()
	for i, w := range want[:losses] {
		g := float64(math.Float32frombits(got[i]))
		norm += w * w
		size += terms[i] * terms[i]
		off += (g - w) * (g - w)
	}
	scale := math.Sqrt(norm) + termTolerance/gradientTolerance*math.Sqrt(size)
	t.Checked += losses - 1
	t.Near("partials", chunk*l.stride(), math.Float32bits(float32(math.Sqrt(off)/scale)), 0, gradientTolerance)
	for i := losses; i < l.stride(); i++ {
		// Twice what the gradient is allowed, as a loss is a square.
		t.Near("partials", chunk*l.stride()+i, got[i], want[i], 4*gradientTolerance*want[i]+1e-9)
	}
}

// checkSum compares the reduced gradient with the sum of the chunks'.
func (l lesson) checkSum(c *suites.Check, t *suites.Tally) error {
	gradient, err := c.Out.LocalWords("gradient", 0, 0, l.stride())
	if err != nil {
		return err
	}
	parts, sizes := make([][]float64, l.chunks), make([][]float64, l.chunks)
	words := make([][]uint32, l.chunks)
	for u := range l.chunks {
		if words[u], err = l.partial(c.Out, u); err != nil {
			return err
		}
	}
	suites.Spread(l.chunks, func(lo, hi int64, _ *suites.Tally) {
		for u := lo; u < hi; u++ {
			parts[u], sizes[u] = make([]float64, l.stride()), make([]float64, l.stride())
			for i, w := range words[u] {
				v := float64(math.Float32frombits(w))
				parts[u][i], sizes[u][i] = v, math.Abs(v)
			}
		}
	})
	sum, depth := l.combine(parts, c.Program.Shares), math.Log2(float64(l.chunks))+1
	all, scale := l, 1.0
	if l.byDevice() { // of magnitudes no device is left out: a bound
		all.aggregate, depth, scale = average, float64(l.chunks), float64(len(c.Program.Shares))
	}
	magnitude := all.combine(sizes, c.Program.Shares)
	for i, w := range gradient {
		t.Near("gradient", int64(i), w, sum[i], suites.E1(depth, scale*magnitude[i]))
	}
	return nil
}

// checkUpdate compares the last step of the optimizer, from the moments that it left.
func (l lesson) checkUpdate(c *suites.Check, before []float64, t *suites.Tally) error {
	theta, err := c.Out.LocalWords("theta", 0, 0, l.stride())
	if err != nil {
		return err
	}
	transposed, err := c.Out.LocalWords("theta_transposed", 0, 0, l.stride())
	if err != nil {
		return err
	}
	moments, err := parameters(c.Out, "moments", 2*l.stride())
	if err != nil {
		return err
	}
	gradient, err := parameters(c.Out, "gradient", l.stride())
	if err != nil {
		return err
	}
	rate := l.rateAt(l.steps - 1)
	for i, w := range theta[:l.net.total()] {
		move := rate * gradient[i]
		if l.optimizer == adam {
			move = rate * adamMove(moments[2*i], moments[2*i+1], l.steps)
		}
		bound := 1e-5*math.Abs(move) + 4*suites.U*math.Abs(before[i]) + 1e-30
		t.Near("theta", int64(i), w, before[i]-move, bound)
		t.Bits("theta_transposed", int64(i), transposed[i], theta[l.transposed(int64(i))])
	}
	return nil
}

// Optimizers and the constants of Adam.
const (
	sgd = iota
	adam

	beta1, beta2, epsilon = 0.9, 0.999, 1e-8
)

// rateAt is the learning rate of a step, the first of which is 0.
func (l lesson) rateAt(step int64) float64 {
	return float64(l.rate) * math.Pow(float64(l.decay), float64(step))
}

func adamMove(m, v float64, steps int64) float64 {
	first, second := 1-math.Pow(beta1, float64(steps)), 1-math.Pow(beta2, float64(steps))
	return m / first / (math.Sqrt(v/second) + epsilon)
}

// follow trains in 64 bits and returns the parameters and the losses before every step.
func (l lesson) follow(steps int64, shares []program.Share) (theta, curve []float64) {
	theta = make([]float64, l.stride())
	for i := range theta {
		theta[i] = float64(l.start(l.seed, int64(i)))
	}
	moments := make([]float64, 2*l.stride())
	for s := range steps {
		g := l.gradient(theta, shares)
		curve = append(curve, g[l.net.losses():]...)
		for i := range l.net.total() {
			move := g[i]
			if l.optimizer == adam {
				m, v := &moments[2*i], &moments[2*i+1]
				*m = beta1**m + (1-beta1)*g[i]
				*v = beta2**v + (1-beta2)*g[i]*g[i]
				move = adamMove(*m, *v, s+1)
			}
			theta[i] -= l.rateAt(s) * move
		}
	}
	return theta, curve
}

// gradient is that of all chunks, aggregated as on devices with these shares.
func (l lesson) gradient(theta []float64, shares []program.Share) []float64 {
	parts := make([][]float64, l.chunks)
	suites.Spread(l.chunks, func(lo, hi int64, _ *suites.Tally) {
		for u := lo; u < hi; u++ {
			parts[u] = l.chunkGradient(theta, u, nil)
		}
	})
	return l.combine(parts, shares)
}

func (l lesson) checkCurve(curve []float64, shares []program.Share, t *suites.Tally) {
	_, want := l.follow(l.steps, shares)
	for i, w := range want {
		t.Near("curve", int64(i), math.Float32bits(float32(curve[i])), w, curveTolerance*math.Abs(w)+1e-8)
	}
}

// solutionError is the relative L2 error of the network against the exact solution on a
// lattice of the unit cube of space and time.
func (l lesson) solutionError(theta []float64) float64 {
	edge := int64(33)
	if l.net.inputs == 3 {
		edge = 13
	}
	n := int64(1)
	for range l.net.inputs {
		n *= edge
	}
	offs, norms := make([]float64, n), make([]float64, n)
	suites.Spread(n, func(lo, hi int64, _ *suites.Tally) {
		m := newModel(l.net, theta)
		for i := lo; i < hi; i++ {
			var at [4]float32
			p := make([]float64, l.net.inputs)
			for k, r := int64(0), i; k < l.net.inputs; k, r = k+1, r/edge {
				at[k] = float32(r%edge) / float32(edge-1)
				p[k] = float64(at[k])
			}
			want := exact(p)
			d := m.forward(at)[0] - want
			offs[i], norms[i] = d*d, want*want
		}
	})
	var off, norm float64
	for i := range offs {
		off += offs[i]
		norm += norms[i]
	}
	return math.Sqrt(off / norm)
}

// training is the loss curve for reports: the weighted sum and its four means.
func (l lesson) training(curve []float64) *suites.Training {
	t := &suites.Training{Losses: []suites.Loss{{Name: "total"}, {Name: "residual"}, {Name: "boundary"}, {Name: "initial value"}, {Name: "initial velocity"}}}
	const most = 2000 // points of the curve
	every := (l.steps + most - 1) / most
	for s := int64(0); s < l.steps; s += every {
		c := curve[4*s : 4*s+4]
		t.Steps = append(t.Steps, s)
		for i, v := range []float64{weightPDE*c[0] + weightBoundary*c[1] + weightStart*c[2] + weightVelocity*c[3], c[0], c[1], c[2], c[3]} {
			t.Losses[i].Values = append(t.Losses[i].Values, v)
		}
	}
	return t
}
