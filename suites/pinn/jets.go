package pinn

import "math"

// model is a network in float64 with what one point leaves behind on its way through: the
// reference of the kernels.
type model struct {
	net
	theta []float64
	z     [][]float64 // by layer: channels of width; a = tanh z in place of the value
	a     [][]float64 // behind tanh; a[0] is the input
	b     []float64   // adjoints of one layer
}

func newModel(n net, theta []float64) *model {
	m := &model{net: n, theta: theta, b: make([]float64, n.channels()*n.width)}
	for l := range n.layers + 1 {
		width := n.width
		if l == 0 {
			width = n.inputs
		}
		m.z = append(m.z, make([]float64, n.channels()*width))
		m.a = append(m.a, make([]float64, n.channels()*width))
	}
	return m
}

// forward carries a point through the network and returns the channels of the output.
func (m *model) forward(at [4]float32) []float64 {
	c, d := m.channels(), m.inputs
	clear(m.a[0])
	for i := range d {
		m.a[0][i] = float64(at[i])
		m.a[0][(1+i)*d+i] = 1
	}
	before := d
	for l := int64(1); l <= m.layers; l++ {
		z, a := m.z[l], m.a[l]
		w := m.theta[m.layer(l):]
		for k := range c {
			row := z[k*m.width : (k+1)*m.width]
			clear(row)
			if k == 0 {
				copy(row, w[before*m.width:])
			}
			for i, x := range m.a[l-1][k*before : (k+1)*before] {
				if x != 0 {
					for n, v := range w[int64(i)*m.width : int64(i+1)*m.width] {
						row[n] += x * v
					}
				}
			}
		}
		for n := range m.width {
			v := tanh(z[n])
			z[n], a[n] = v, v
			s1 := 1 - v*v
			s2 := -2 * v * s1
			for i := int64(1); i <= d; i++ {
				x, xx := z[i*m.width+n], z[(i+d)*m.width+n]
				a[i*m.width+n] = s1 * x
				a[(i+d)*m.width+n] = s1*xx + s2*x*x
			}
		}
		before = m.width
	}
	out := make([]float64, c)
	w := m.theta[m.output():]
	for k := range c {
		for n, v := range m.a[m.layers][k*m.width : (k+1)*m.width] {
			out[k] += v * w[n]
		}
	}
	out[0] += w[m.width]
	return out
}

// losses are what a point adds to the four means, the derivatives of their weighted sum with
// respect to the output's channels, and the same of terms: with what a residual is the
// difference of, in place of the residual; solutions are of the size of 1.
func (c cloud) losses(at [4]float32, u []float64) (loss [4]float64, seed, terms []float64) {
	pde, bc, ic := c.shares()
	d := c.inputs
	seed, terms = make([]float64, len(u)), make([]float64, len(u))
	put := func(channel int64, factor, residual, size float64) {
		seed[channel], terms[channel] = factor*residual, factor*size
	}
	switch at[3] {
	case inDomain:
		r, size := u[2*d], math.Abs(u[2*d])
		for i := int64(1); i < d; i++ {
			r -= u[d+i]
			size += math.Abs(u[d+i])
		}
		loss[0] = r * r * pde
		for i := int64(1); i < d; i++ {
			put(d+i, -2*weightPDE*pde, r, size)
		}
		put(2*d, 2*weightPDE*pde, r, size)
	case onBoundary:
		loss[1] = u[0] * u[0] * bc
		put(0, 2*weightBoundary*bc, u[0], 1+math.Abs(u[0]))
	case atStart:
		p := make([]float64, d)
		for i := range d {
			p[i] = float64(at[i])
		}
		diff, v := u[0]-exact(p), u[d]
		loss[2], loss[3] = diff*diff*ic, v*v*ic
		put(0, 2*weightStart*ic, diff, 1+math.Abs(u[0]))
		put(d, 2*weightVelocity*ic, v, 1+math.Abs(v))
	}
	return loss, seed, terms
}

// backward adds the gradient of a point whose output has these derivatives of the loss, by
// reverse mode through the jets that forward left.
func (m *model) backward(seed, gradient []float64) {
	c, d, width := m.channels(), m.inputs, m.width
	w, g := m.theta[m.output():], gradient[m.output():]
	g[width] += seed[0]
	for k := range c {
		for n := range width {
			g[n] += seed[k] * m.a[m.layers][k*width+n]
			m.b[k*width+n] = seed[k] * w[n]
		}
	}
	for l := m.layers; l >= 1; l-- {
		z := m.z[l]
		for n := range width {
			a := z[n]
			s1 := 1 - a*a
			s2 := -2 * a * s1
			s3 := s1 * (6*a*a - 2)
			value := s1 * m.b[n]
			for i := int64(1); i <= d; i++ {
				x, xx := z[i*width+n], z[(i+d)*width+n]
				bx, bxx := m.b[i*width+n], m.b[(i+d)*width+n]
				value += s2*x*bx + (s2*xx+s3*x*x)*bxx
				m.b[i*width+n] = s1*bx + 2*s2*x*bxx
				m.b[(i+d)*width+n] = s1 * bxx
			}
			m.b[n] = value
		}
		before := width
		if l == 1 {
			before = d
		}
		w, g := m.theta[m.layer(l):], gradient[m.layer(l):]
		for n := range width {
			g[before*width+n] += m.b[n]
		}
		next := make([]float64, c*before)
		for k := range c {
			b := m.b[k*width : (k+1)*width]
			for i := range before {
				x, sum := m.a[l-1][k*before+i], 0.0
				row, into := w[i*width:(i+1)*width], g[i*width:(i+1)*width]
				for n, v := range b {
					into[n] += x * v
					sum += row[n] * v
				}
				next[k*before+i] = sum
			}
		}
		if l > 1 {
			m.b = next
		}
	}
}

// chunkGradient is the gradient of a chunk with the four losses behind it. What it would be
// of the terms of the residuals is added to terms; nil: nobody asks.
func (l lesson) chunkGradient(theta []float64, chunk int64, terms []float64) []float64 {
	g := make([]float64, l.stride())
	m := newModel(l.net, theta)
	for _, at := range l.at[chunk*l.chunk : (chunk+1)*l.chunk] {
		if at[3] == noPoint {
			continue
		}
		loss, seed, sizes := l.cloud.losses(at, m.forward(at))
		for i, v := range loss {
			g[l.net.losses()+int64(i)] += v
		}
		m.backward(seed, g)
		if terms != nil {
			m.backward(sizes, terms)
		}
	}
	return g
}
