package stat

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// point is a throughput x at n devices with weight w.
type point struct{ n, x, w float64 }

// usl are the parameters of X(N) = gamma N / (1 + sigma(N-1) + kappa N(N-1))
// (Gunther 2007); kappa 0 is Amdahl's law with serial fraction sigma.
type usl struct{ sigma, kappa, gamma float64 }

func (p usl) at(n float64) float64 {
	return p.gamma * n / (1 + p.sigma*(n-1) + p.kappa*n*(n-1))
}

// gradient is the derivative of at by sigma, kappa and gamma.
func (p usl) gradient(n float64) [3]float64 {
	h := n / (1 + p.sigma*(n-1) + p.kappa*n*(n-1))
	d := -p.gamma * h * h * (n - 1) / n
	return [3]float64{d, d * n, h}
}

func (p usl) rss(pts []point) float64 {
	sum := 0.0
	for _, q := range pts {
		r := q.x - p.at(q.n)
		sum += q.w * r * r
	}
	return sum
}

// fitUSL minimises the weighted squares on untransformed data by a bounded
// Levenberg-Marquardt (S10, S11): sigma and kappa in [0, 1], gamma > 0. With
// amdahl, kappa stays 0. It needs at least one point.
func fitUSL(pts []point, amdahl bool) usl {
	start := usl{sigma: 0.01, kappa: 0.0001}
	if amdahl {
		start.kappa = 0
	}
	for _, q := range pts {
		start.gamma = max(start.gamma, q.x/q.n)
	}
	return minimise(pts, start, amdahl, effort{steps: 5000, tries: 60, decrease: 1e-15, least: 7, damping: 1e-3})
}

// effort says when to stop: after so many steps, when no damping among so many
// tries improves, or when the squares shrink by less than decrease after the least
// number of steps.
type effort struct {
	steps, tries, least int
	decrease            float64
	damping             float64 // at first
}

func minimise(pts []point, start usl, amdahl bool, e effort) usl {
	p := [3]float64{start.sigma, start.kappa, start.gamma}
	low, high := [3]float64{0, 0, start.gamma * 1e-9}, [3]float64{1, 1, math.Inf(1)}
	of := func(p [3]float64) usl { return usl{p[0], p[1], p[2]} }
	var here, there equations
	here.set(start, pts)
	lambda := e.damping
	for it := range e.steps {
		var list [3]int
		act := list[:0] // parameters not held at a bound by the gradient
		for k := range p {
			held := p[k] <= low[k] && here.g[k] < 0 || p[k] >= high[k] && here.g[k] > 0
			if !held && !(amdahl && k == 1) {
				act = append(act, k)
			}
		}
		improved, before := false, here.rss
		for range e.tries {
			if d, ok := solve(&here, act, lambda); ok {
				q := p
				for i, k := range act {
					q[k] = min(max(p[k]+d[i], low[k]), high[k])
				}
				if there.set(of(q), pts); there.rss < here.rss {
					p, here, lambda, improved = q, there, max(lambda/10, 1e-15), true
					break
				}
			}
			lambda *= 10
		}
		if !improved || before-here.rss < e.decrease*before && it+1 >= e.least {
			break
		}
	}
	return of(p)
}

// equations are the normal equations at some parameters: J'WJ (its lower triangle),
// J'W(x - model), and the weighted squares themselves.
type equations struct {
	a   [3][3]float64
	g   [3]float64
	rss float64
}

func (e *equations) set(p usl, pts []point) {
	*e = equations{}
	for _, q := range pts {
		j := p.gradient(q.n)
		r := q.x - p.gamma*j[2]
		w0, w1, w2 := q.w*j[0], q.w*j[1], q.w*j[2]
		e.rss += q.w * r * r
		e.g[0], e.g[1], e.g[2] = e.g[0]+w0*r, e.g[1]+w1*r, e.g[2]+w2*r
		e.a[0][0] += w0 * j[0]
		e.a[1][0] += w1 * j[0]
		e.a[1][1] += w1 * j[1]
		e.a[2][0] += w2 * j[0]
		e.a[2][1] += w2 * j[1]
		e.a[2][2] += w2 * j[2]
	}
}

// solve finds (A + lambda diag A) d = g over the rows in act, by Cholesky.
func solve(e *equations, act []int, lambda float64) (d [3]float64, ok bool) {
	var l [3][3]float64
	for i, p := range act {
		for j := 0; j <= i; j++ {
			sum := e.a[p][act[j]]
			if i == j {
				sum *= 1 + lambda
			}
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			if i != j {
				l[i][j] = sum / l[j][j]
				continue
			}
			if !(sum > 0) {
				return d, false
			}
			l[i][i] = math.Sqrt(sum)
		}
	}
	for i, p := range act {
		d[i] = e.g[p]
		for k := range i {
			d[i] -= l[i][k] * d[k]
		}
		d[i] /= l[i][i]
	}
	for i := len(act) - 1; i >= 0; i-- {
		for k := i + 1; k < len(act); k++ {
			d[i] -= l[k][i] * d[k]
		}
		d[i] /= l[i][i]
	}
	return d, len(act) > 0
}

// covariance of sigma, kappa and gamma is RSS/(n-p) (J'WJ)^-1; a parameter on its
// bound counts as free (S11), kappa of Amdahl's law is fixed. ok is false without
// degrees of freedom or for a singular matrix.
func (p usl) covariance(pts []point, amdahl bool) (c [3][3]float64, ok bool) {
	free := []int{0, 1, 2}
	if amdahl {
		free = []int{0, 2}
	}
	df := len(pts) - len(free)
	if df < 1 {
		return c, false
	}
	c, ok = p.inverse(pts, free)
	s2 := p.rss(pts) / float64(df)
	for i := range c {
		for k := range c[i] {
			c[i][k] *= s2
			ok = ok && !math.IsNaN(c[i][k]) && !math.IsInf(c[i][k], 0)
		}
	}
	return c, ok
}

// inverse is (J'WJ)^-1 over the free parameters, 0 elsewhere: their covariance where
// the weights are 1/SE^2.
func (p usl) inverse(pts []point, free []int) (c [3][3]float64, ok bool) {
	var e equations
	e.set(p, pts)
	// Scaled to a unit diagonal first: gamma may be 1e14 where sigma is 1e-2.
	a := mat.NewSymDense(len(free), nil)
	unit := make([]float64, len(free))
	for i, f := range free {
		unit[i] = math.Sqrt(e.a[f][f])
		if !(unit[i] > 0) || math.IsInf(unit[i], 0) {
			return c, false
		}
	}
	for i, f := range free {
		for k, h := range free[:i+1] {
			a.SetSym(i, k, e.a[f][h]/unit[i]/unit[k])
		}
	}
	var chol mat.Cholesky
	var inverse mat.SymDense
	if !chol.Factorize(a) || chol.InverseTo(&inverse) != nil {
		return c, false
	}
	for i, f := range free {
		for k, h := range free {
			c[f][h] = inverse.At(i, k) / unit[i] / unit[k]
		}
	}
	return c, true
}

// errors are the standard errors of sigma, kappa and gamma.
func (p usl) errors(pts []point, amdahl bool) (se [3]float64, ok bool) {
	c, ok := p.covariance(pts, amdahl)
	for i := range se {
		se[i] = math.Sqrt(c[i][i])
	}
	return se, ok
}

// spread is the standard error of a function with gradient g, to first order.
func spread(c [3][3]float64, g [3]float64) float64 {
	sum := 0.0
	for i := range g {
		for k := range g {
			sum += g[i] * c[i][k] * g[k]
		}
	}
	return math.Sqrt(max(0, sum))
}
