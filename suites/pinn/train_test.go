package pinn

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// small is a lesson of a few points.
func small(t *testing.T, dims, width, layers, points int64) lesson {
	t.Helper()
	b := suitetest.Build(train{}, points, 1)
	b.Params["dims"], b.Params["width"], b.Params["layers"] = dims, width, layers
	l, err := lessonOf(b)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// startOf is the parameters at the start, with biases that are not zero.
func startOf(l lesson) []float64 {
	theta := make([]float64, l.stride())
	for i := range theta {
		theta[i] = float64(l.start(7, int64(i)))
		if ok, before, _ := l.real(int64(i)); ok && before == 0 && int64(i) < l.net.total() {
			theta[i] = 0.1 * math.Sin(float64(i))
		}
	}
	return theta
}

func loss(l lesson, theta []float64) (sum float64) {
	m := newModel(l.net, theta)
	for _, at := range l.at {
		if at[3] != noPoint {
			terms, _, _ := l.cloud.losses(at, m.forward(at))
			sum += weightPDE*terms[0] + weightBoundary*terms[1] + weightStart*terms[2] + weightVelocity*terms[3]
		}
	}
	return sum
}

// TestGradient compares reverse mode through the jets with central differences of the loss
// in every parameter.
func TestGradient(t *testing.T) {
	for _, l := range []lesson{small(t, 1, 6, 3, 20), small(t, 2, 5, 2, 20), small(t, 1, 7, 1, 20)} {
		theta := startOf(l)
		g := l.gradient(theta, nil)
		var off, norm float64
		for i := range l.net.total() {
			ok, _, _ := l.real(i)
			if !ok {
				if g[i] != 0 {
					t.Errorf("padding %d has a gradient of %g", i, g[i])
				}
				continue
			}
			const h = 1e-5
			keep := theta[i]
			theta[i] = keep + h
			up := loss(l, theta)
			theta[i] = keep - h
			d := (up - loss(l, theta)) / (2 * h)
			theta[i] = keep
			off += (d - g[i]) * (d - g[i])
			norm += d * d
		}
		if math.Sqrt(off/norm) > 1e-7 {
			t.Errorf("%+v: gradient %.3g off in relative L2", l.net, math.Sqrt(off/norm))
		}
		var terms float64
		for i, w := range []float64{weightPDE, weightBoundary, weightStart, weightVelocity} {
			terms += w * g[l.net.losses()+int64(i)]
		}
		if want := loss(l, theta); math.Abs(terms-want) > 1e-12*want {
			t.Errorf("loss %v beside the gradient, %v summed", terms, want)
		}
	}
}

// TestJets compares first and second derivatives of the output with differences of its value.
func TestJets(t *testing.T) {
	l := small(t, 2, 9, 3, 10)
	m := newModel(l.net, startOf(l))
	// Powers of two keep the points exact in float32.
	const h = 1.0 / 512
	for _, at := range [][4]float32{{0.25, 0.5, 0.75}, {0.125, 0.875, 0.0625}} {
		u := append([]float64(nil), m.forward(at)...)
		for k := range l.net.inputs {
			up, down := at, at
			up[k] += h
			down[k] -= h
			plus, minus := m.forward(up)[0], m.forward(down)[0]
			if d := (plus - minus) / (2 * h); math.Abs(d-u[1+k]) > 1e-4 {
				t.Errorf("derivative %d is %v, difference %v", k, u[1+k], d)
			}
			if d := (plus - 2*u[0] + minus) / (h * h); math.Abs(d-u[1+k+l.net.inputs]) > 1e-4 {
				t.Errorf("second derivative %d is %v, difference %v", k, u[1+k+l.net.inputs], d)
			}
		}
	}
}

// TestExactSolution: it solves the equation, starts at rest and vanishes on the boundary.
func TestExactSolution(t *testing.T) {
	const h = 1e-4
	for _, p := range [][]float64{{0.3, 0.6}, {0.2, 0.7, 0.4}} {
		second := func(k int) float64 {
			q := append([]float64(nil), p...)
			q[k] += h
			up := exact(q)
			q[k] -= 2 * h
			return (up - 2*exact(p) + exact(q)) / (h * h)
		}
		r, d := 0.0, len(p)-1
		for k := range d {
			r -= second(k)
		}
		if r += second(d); math.Abs(r) > 1e-6 {
			t.Errorf("%v: residual %g", p, r)
		}
	}
	if math.Abs(exact([]float64{1, 0.3, 0.2})) > 1e-15 || exact([]float64{0.5, 0.5, 0}) != 1 {
		t.Error("boundary or initial value")
	}
}

// TestNetGolden: parameter counts of the reference networks, and the layout of a small one.
func TestNetGolden(t *testing.T) {
	for _, c := range []struct {
		n                   net
		parameters, weights int64
	}{
		{net{inputs: 2, hidden: 50, width: 52, layers: 4}, 7851, 7650},
		{net{inputs: 3, hidden: 100, width: 100, layers: 4}, 30801, 30400},
		{net{inputs: 3, hidden: 200, width: 200, layers: 4}, 121601, 120800},
	} {
		if c.n.parameters() != c.parameters || c.n.weights() != c.weights {
			t.Errorf("%+v: %d parameters, %d weights", c.n, c.n.parameters(), c.n.weights())
		}
		elements, weights := int64(0), int64(0)
		for i := range c.n.total() {
			ok, before, _ := c.n.real(i)
			elements += flag(ok)
			weights += flag(ok && before > 0)
			if c.n.transposed(c.n.transposed(i)) != i {
				t.Fatalf("element %d moves to %d and not back", i, c.n.transposed(i))
			}
		}
		if elements != c.parameters || weights != c.weights {
			t.Errorf("%+v: %d real elements, %d weights", c.n, elements, weights)
		}
	}
}

func TestPoints(t *testing.T) {
	for _, o := range []order{byClass, byPlace, mixed} {
		c := cloudOf(3, 3, 1000, o)
		counts := map[float32]int64{}
		for i, p := range c.at {
			counts[p[3]]++
			if p[3] == onBoundary && p[0] != 0 && p[0] != 1 && p[1] != 0 && p[1] != 1 || p[3] == atStart && p[2] != 0 {
				t.Errorf("point %v", p)
			}
			if o == byPlace && i > 0 && int64(i) < c.total && p[0] < c.at[i-1][0] {
				t.Fatal("slabs are not in order")
			}
		}
		if counts[inDomain] != 1000 || counts[onBoundary] != 200 || counts[atStart] != 200 || counts[noPoint] != c.chunks*c.chunk-1400 {
			t.Errorf("%v points", counts)
		}
		if c.chunks < 256 {
			t.Errorf("%d chunks", c.chunks)
		}
	}
}

func TestTrainShapes(t *testing.T) {
	for _, size := range []int64{1, 7, 256, 5000} {
		for _, split := range (train{}).Info().Splits {
			for _, width := range []int64{1, 16, 50, 100, 101, 128, 200, 256} {
				for count := 1; count <= 3; count++ {
					b := suitetest.Build(train{}, size, count)
					b.Split, b.Params["width"], b.Params["layers"] = split, width, 1+width%4
					p, err := train{}.Build(b)
					if err != nil {
						t.Fatal(err)
					}
					if err := suitetest.Invariants(p, count); err != nil {
						t.Fatalf("size %d, width %d on %d: %v", size, width, count, err)
					}
				}
			}
		}
	}
	for _, size := range []int64{0, maxPoints + 1} {
		if _, err := (train{}).Build(suitetest.Build(train{}, size, 1)); err == nil || !strings.Contains(err.Error(), "choose a size from 1") {
			t.Errorf("size %d: %v", size, err)
		}
	}
}

// TestTiles: what pinn/layer.glsl and pinn/weights hold fits the least shared memory and
// the least work-group, for every width.
func TestTiles(t *testing.T) {
	for hidden := int64(1); hidden <= maxWidth; hidden++ {
		n := net{inputs: 3, hidden: hidden, width: (hidden + 3) / 4 * 4, layers: 2}
		c := n.tiling()
		group := (c.columns*c.pairs + 31) / 32 * 32
		shared := 16 * (c.depth*(4*c.pairs+1) + c.depth*c.columns)
		if group > 256 || shared > 32<<10 || c.columns*c.tiles*4 < n.width {
			t.Errorf("width %d: %+v: %d invocations, %d bytes", hidden, c, group, shared)
		}
		perThread := max((2*c.pairs*c.depth/4+group-1)/group, (c.depth*c.columns+group-1)/group)
		if perThread > 4 { // MOST_TASKS
			t.Errorf("width %d: %+v: %d tasks an invocation", hidden, c, perThread)
		}
		if rows := (c.columns + 4) / 5; rows*c.columns > 128 || 4*c.columns > 128 {
			t.Errorf("width %d: %+v does not fit pinn/weights", hidden, c)
		}
	}
}

// trained is what devices would leave after the steps of a build.
func trained(t *testing.T, b suites.Build) (*suites.Check, map[string][]uint32) {
	t.Helper()
	p, err := train{}.Build(b)
	if err != nil {
		t.Fatal(err)
	}
	l, _ := lessonOf(b)
	before, _ := l.follow(l.steps-1, p.Shares)
	after, curve := l.follow(l.steps, p.Shares)
	arrays := map[string][]uint32{}
	put := func(name string, values ...float64) {
		for _, v := range values {
			arrays[name] = append(arrays[name], math.Float32bits(float32(v)))
		}
	}
	for u := range l.chunks {
		put("partials", l.chunkGradient(before, u, nil)...)
	}
	put("gradient", l.gradient(before, p.Shares)...)
	put("theta_before", before...)
	put("curve", curve...)
	put("moments", make([]float64, 2*l.stride())...)
	put("theta", after...)
	for i := range l.stride() {
		arrays["theta_transposed"] = append(arrays["theta_transposed"], arrays["theta"][l.transposed(i)])
	}
	return &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: arrays}}, arrays
}

func TestTrainVerify(t *testing.T) {
	b := suitetest.Build(train{}, 40, 2)
	b.Params["optimizer"], b.Params["steps"] = sgd, 3
	check, arrays := trained(t, b)
	out, err := train{}.Verify(check)
	if err != nil || out.Wrong != "" || out.Checked < suites.MinSampled {
		t.Fatalf("right training: %v %+v", err, out)
	}
	if n := len(out.Training.Steps); n != 3 || len(out.Training.Losses) != 5 || len(out.Training.Losses[0].Values) != n {
		t.Errorf("training curve %+v", out.Training)
	}
	if m := out.Training.Measures; len(m) != 1 || !(m[0].Value > 0.01 && m[0].Value < 10) || !strings.Contains(out.SelfCheck, m[0].Name) {
		t.Errorf("measures %+v, check %q", m, out.SelfCheck)
	}
	for _, c := range []struct {
		array string
		at    int
	}{{"partials", 5}, {"gradient", 3}, {"theta", 1}, {"theta_transposed", 200}, {"curve", 4}} {
		keep := arrays[c.array][c.at]
		arrays[c.array][c.at] = math.Float32bits(math.Float32frombits(keep)*1.01 + 0.01)
		if out, err := (train{}).Verify(check); err != nil || out.Wrong == "" {
			t.Errorf("a wrong %s passed: %v", c.array, err)
		}
		arrays[c.array][c.at] = keep
	}
}

// TestAggregation: weighting by points is the mean over all points whatever the shares,
// equal shares make the average the same, and an outlier is left out.
func TestAggregation(t *testing.T) {
	l := small(t, 1, 4, 1, 50)
	theta := startOf(l)
	want := l.gradient(theta, nil)
	half := []program.Share{{Lo: 0, Hi: l.chunks / 2}, {Lo: l.chunks / 2, Hi: l.chunks}}
	if l.chunks%2 != 0 {
		t.Fatalf("%d chunks cannot be halved", l.chunks)
	}
	for _, mode := range []int64{average, adaptive} {
		l.aggregate, l.limit = mode, 1e6
		for i, v := range l.gradient(theta, half) {
			if math.Abs(v-want[i]) > 1e-6*math.Abs(want[i])+1e-12 {
				t.Fatalf("aggregation %d, element %d: %v, want %v", mode, i, v, want[i])
			}
		}
	}
	for _, c := range []struct{ norms, want []float64 }{
		{[]float64{1, 1.2, 9}, []float64{0.5, 0.5, 0}},
		{[]float64{3, 1, 2}, []float64{1. / 3, 1. / 3, 1. / 3}},
		{[]float64{5}, []float64{1}},
		{[]float64{1, 100}, []float64{1, 0}},
	} {
		for d, w := range trusted(c.norms, 4) {
			if w != c.want[d] {
				t.Errorf("norms %v: weights %v, want %v", c.norms, trusted(c.norms, 4), c.want)
				break
			}
		}
	}
}

// TestTrainingLowersTheLoss: 200 steps of either optimizer.
func TestTrainingLowersTheLoss(t *testing.T) {
	for _, c := range []struct{ optimizer, rate int64 }{{sgd, 3000}, {adam, 5000}} {
		b := suitetest.Build(train{}, 100, 1)
		b.Params["optimizer"], b.Params["rate"], b.Params["steps"] = c.optimizer, c.rate, 200
		l, err := lessonOf(b)
		if err != nil {
			t.Fatal(err)
		}
		_, curve := l.follow(l.steps, nil)
		total := l.training(curve).Losses[0].Values
		if last := total[len(total)-1]; !(last < 0.75*total[0]) {
			t.Errorf("optimizer %d: loss from %.3g to %.3g", c.optimizer, total[0], last)
		}
	}
}

// TestSlabs: slabs that overlap hold exactly the chunks that reach into the strip around
// their border, and points of two slabs count twice in the mean.
func TestSlabs(t *testing.T) {
	b := suitetest.Build(train{}, 5000, 3)
	b.Split, b.Params["overlap"] = spatial, 50
	l, err := lessonOf(b)
	if err != nil {
		t.Fatal(err)
	}
	shares := b.Divide(l.chunks, 1)
	for d, s := range l.slabs(shares) {
		from, to := l.at[shares[d].Lo*l.chunk][0]-0.025, float32(2)
		if d < 2 {
			to = l.at[shares[d].Hi*l.chunk][0] + 0.025
		}
		for u := range l.chunks {
			last := min((u+1)*l.chunk, l.cloud.total) - 1
			inside := u >= shares[d].Lo && u < shares[d].Hi || u < shares[d].Lo && l.at[last][0] > from || u >= shares[d].Hi && l.at[u*l.chunk][0] < to
			if inside != (u >= s.Lo && u < s.Hi) {
				t.Errorf("device %d, chunk %d from x = %v to %v, slab %v", d, u, l.at[u*l.chunk][0], l.at[last][0], s)
			}
		}
	}
	if reach := l.reach(shares); reach < 5 || reach > 20 {
		t.Errorf("%d chunks beyond a share of %d", reach, l.chunks)
	}
	p, err := train{}.Build(b)
	if err != nil || !p.CountDependent {
		t.Fatal(err)
	}
	if err := suitetest.Invariants(p, 3); err != nil {
		t.Error(err)
	}
	parts := make([][]float64, l.chunks)
	for u := range parts {
		parts[u] = make([]float64, l.stride())
		parts[u][0] = 1 / float64(l.chunks)
	}
	if g := l.combine(parts, shares)[0]; math.Abs(g-1) > 1e-6 {
		t.Errorf("the mean of ones is %v", g)
	}
	b.Split = "data"
	if _, err := (train{}).Build(b); err == nil || !strings.Contains(err.Error(), "choose --split spatial, or --param overlap=0") {
		t.Errorf("overlap without slabs: %v", err)
	}
}

// TestTermsOfGradient: near the solution, where residuals are small beside their terms, a
// gradient is allowed what rounding of the terms makes of it; far from it the terms add little.
func TestTermsOfGradient(t *testing.T) {
	norm := func(x []float64) (n float64) {
		for _, v := range x {
			n += v * v
		}
		return math.Sqrt(n)
	}
	l := small(t, 1, 6, 2, 40)
	at := [4]float32{0.25, 0.5}
	for _, c := range []struct{ uxx, utt, least, most float64 }{{-10, -10.001, 1e4, 1e5}, {-10, 10, 0.5, 2}} {
		_, seed, terms := l.cloud.losses(at, []float64{0, 0, 0, c.uxx, c.utt})
		if ratio := norm(terms) / norm(seed); ratio < c.least || ratio > c.most {
			t.Errorf("u_xx %v, u_tt %v: terms are %v times the residual's", c.uxx, c.utt, ratio)
		}
	}
	theta := startOf(l)
	terms := make([]float64, l.stride())
	want := l.chunkGradient(theta, 0, terms)
	got := make([]uint32, len(want))
	allowed := gradientTolerance*norm(want[:l.net.losses()]) + termTolerance*norm(terms)
	for _, c := range []struct {
		off   float64
		wrong bool
	}{{0.9, false}, {1.2, true}} {
		for i, w := range want {
			got[i] = math.Float32bits(float32(w))
		}
		got[0] = math.Float32bits(float32(want[0] + c.off*allowed))
		var tally suites.Tally
		l.compareGradient(0, got, want, terms, &tally)
		if out := tally.Outcome("E3", ""); (out.Wrong != "") != c.wrong {
			t.Errorf("%v of what is allowed: %q", c.off, out.Wrong)
		}
	}
}
