package pinn

import (
	"math"

	"github.com/amgpu/amgpu/suites/program"
)

// stageArrays are the arrays of a division by layers. Every device has room for the chunks
// of the longest pipeline, of its own layers only.
func (l lesson) stageArrays(c crew) []program.Array {
	most, units := int64(0), max(c.longest(), 1)
	for _, p := range c.posts {
		most = max(most, p.last-p.first+1)
	}
	at := l.at
	list := []program.Array{{
		Name: "points", Layout: program.Local, Units: units, Stride: 4 * l.chunk, Distinct: true,
		Source: program.Source{Kind: program.Made, Make: func(rank int, first int64, into []uint32) {
			part := program.Share{}
			if rank < len(c.posts) {
				part = c.parts[c.posts[rank].pipe]
			}
			for k := range into {
				e := part.Lo*4*l.chunk + first + int64(k)
				v := float32(noPoint)
				if e < part.Hi*4*l.chunk {
					v = at[e/4][e%4]
				}
				into[k] = math.Float32bits(v)
			}
		}},
	}}
	add := func(name string) {
		list = append(list, program.Array{Name: name, Layout: program.Local, Units: units, Stride: l.chunk * l.channels() * l.width, Distinct: true})
	}
	add("z_out")
	add("adjoint_in")
	if c.stages > 1 {
		add("z_in")
		add("adjoint_out")
	}
	for i := int64(1); i < most; i++ {
		add(post{first: 1}.z(i))
	}
	if most > 1 {
		add("adjoint_own")
	}
	return append(list, program.Array{
		Name: "partials", Layout: program.Split, Units: c.stages * l.padded, Stride: l.stride(),
		Source: program.Source{Kind: program.Const, Word: math.Float32bits(float32(math.Copysign(0, -1)))},
	})
}

// stageStep is one training step over layers divided: micro-batches forward, one stage
// behind the other, then back, and the sum of the gradients as with data. In a tick every
// device works on another micro-batch, then all hand over.
func (l lesson) stageStep(c crew, batches int64, algorithm string) (list []program.Step) {
	for _, forward := range []bool{true, false} {
		for tick := range batches + c.stages - 1 {
			send := program.Send{Array: "adjoint_out", Into: "adjoint_in"}
			if forward {
				send = program.Send{Array: "z_out", Into: "z_in"}
			}
			for d, p := range c.posts {
				to, behind := p.stage+1, p.stage
				if !forward {
					to, behind = p.stage-1, c.stages-1-p.stage
				}
				m := tick - behind
				if m < 0 || m >= batches {
					continue
				}
				chunks := c.batch(p.pipe, m, batches)
				if chunks.Len() == 0 {
					continue
				}
				work := stageWork{l, p, d, int(c.count), chunks}
				if forward {
					list = append(list, work.forward()...)
				} else {
					list = append(list, work.backward()...)
				}
				if to >= 0 && to < c.stages {
					send.Pairs = append(send.Pairs, program.Pair{From: d, To: c.at(p.pipe, to), At: chunks.Lo, Into: chunks.Lo, Units: chunks.Len()})
				}
			}
			if len(send.Pairs) > 0 {
				list = append(list, send)
			}
		}
	}
	return append(list, l.learn(int(c.count), algorithm)...)
}

// stageWork is what one device of a team does with a micro-batch.
type stageWork struct {
	l lesson
	post
	device, count int
	chunks        program.Share
}

// on makes a dispatch over the micro-batch.
func (w stageWork) on(d program.Dispatch) program.Dispatch {
	launch := d.On[0]
	launch.First, launch.Units = w.chunks.Lo, w.chunks.Len()
	d.On = make([]program.Launch, w.count)
	d.On[w.device] = launch
	return d
}

func (w stageWork) forward() (list []program.Step) {
	for i := w.first; i <= w.last; i++ {
		if i == 1 {
			list = append(list, w.on(w.l.input(w.z(1))))
		} else {
			list = append(list, w.on(w.l.forward(i, w.z(i-1), w.z(i))))
		}
	}
	return list
}

func (w stageWork) backward() (list []program.Step) {
	if w.last == w.l.layers {
		list = append(list, w.on(w.l.end(w.z(w.last), w.adjoint(w.last))))
	}
	for i := w.last; i >= max(w.first, 2); i-- {
		list = append(list, w.on(w.l.weigh(i, w.z(i-1), w.adjoint(i))),
			w.on(w.l.backward(i, w.adjoint(i), w.z(i-1), w.adjoint(i-1))))
	}
	if w.first == 1 {
		list = append(list, w.on(w.l.begin(w.adjoint(1))))
	}
	return list
}
