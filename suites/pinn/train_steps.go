package pinn

import (
	"math"

	"github.com/amgpu/amgpu/suites/program"
)

// tiling is how the kernels of square layers are cut: tiles of columns of a line, columns
// (vec4) of a tile, pairs of points of a work-group, depth of a shared tile.
type tiling struct{ tiles, columns, pairs, depth int64 }

// groupLanes bounds the invocations of a work-group. While one waits at a barrier others compute: with
// 256 a step takes 15 % longer on an H200.
const groupLanes = 128

// tiling depends on the network alone. Tiles are at most 25 vec4 wide, which two of
// pinn/weights' points and 100 neurons fill best.
func (n net) tiling() tiling {
	line := n.width / 4
	t := tiling{tiles: (line + 24) / 25}
	t.columns = (line + t.tiles - 1) / t.tiles
	t.pairs = min(16, groupLanes/t.columns)
	least := int64(math.MaxInt64) // depth with the padding
	for _, depth := range []int64{20, 16, 12, 8} {
		if padded := (n.width + depth - 1) / depth * depth; padded < least {
			least, t.depth = padded, depth
		}
	}
	return t
}

// lanes of a point in pinn/output and pinn/first.
func (n net) lanes() uint32 {
	if n.width > 128 {
		return 64
	}
	return 32
}

func (l lesson) kernels() []program.Kernel {
	t, inputs := l.tiling(), uint32(l.net.inputs)
	tiled := []program.Spec{
		{ID: 0, Value: uint32((t.columns*t.pairs + 31) / 32 * 32)}, {ID: 1, Value: inputs},
		{ID: 2, Value: uint32(t.columns)}, {ID: 3, Value: uint32(t.pairs)}, {ID: 4, Value: uint32(t.depth)},
	}
	coordinates := program.Spec{ID: 1, Value: inputs}
	lanes := []program.Spec{coordinates, {ID: 2, Value: l.lanes()}}
	weights := []program.Spec{coordinates, {ID: 2, Value: uint32(t.columns)}, {ID: 3, Value: uint32((t.columns + 4) / 5)}}
	list := []program.Kernel{
		{Name: "input", Shader: "pinn/input", Spec: []program.Spec{coordinates}},
		{Name: "output", Shader: "pinn/output", Spec: lanes},
		{Name: "first", Shader: "pinn/first", Spec: lanes},
		{Name: "tick", Shader: "pinn/tick"},
		{Name: "update", Shader: "pinn/update", Spec: []program.Spec{{ID: 1, Value: uint32(l.optimizer)}}},
	}
	if l.byDevice() {
		list = append(list, program.Kernel{Name: "fold", Shader: "pinn/fold"})
	}
	if l.aggregate == adaptive {
		list = append(list, program.Kernel{Name: "norm", Shader: "pinn/norm"}, program.Kernel{Name: "trust", Shader: "pinn/trust"})
	}
	if l.layers > 1 {
		list = append(list, program.Kernel{Name: "forward", Shader: "pinn/forward", Spec: tiled},
			program.Kernel{Name: "backward", Shader: "pinn/backward", Spec: tiled},
			program.Kernel{Name: "weights", Shader: "pinn/weights", Spec: weights})
	}
	return list
}

// once makes a dispatch for one device, whose units are still open.
func once(name string, bind []program.Binding, launch program.Launch) program.Dispatch {
	return program.Dispatch{Label: name, Kernel: name, Bind: bind, On: []program.Launch{launch}}
}

// each gives a dispatch the chunks of every device's slab.
func each(d program.Dispatch, shares, slabs []program.Share) program.Dispatch {
	launch := d.On[0]
	d.On = nil
	for i, s := range slabs {
		launch.First, launch.Units = s.Lo-shares[i].Lo, s.Len()
		d.On = append(d.On, launch)
	}
	return d
}

// all makes a dispatch that every one of count devices does alike, over Local arrays.
func all(name string, count int, bind []program.Binding, launch program.Launch) program.Dispatch {
	d := program.Dispatch{Label: name, Kernel: name, Bind: bind}
	launch.Units = 1
	for i := range d.Bind {
		d.Bind[i].Window = program.Whole
	}
	for range count {
		d.On = append(d.On, launch)
	}
	return d
}

func read(array string) program.Binding  { return program.Binding{Array: array, Access: program.Read} }
func write(array string) program.Binding { return program.Binding{Array: array, Access: program.Write} }
func both(array string) program.Binding {
	return program.Binding{Array: array, Access: program.ReadWrite}
}

func whole(array string) program.Binding {
	return program.Binding{Array: array, Access: program.Read, Window: program.Whole}
}

// The kernels of a step over chunks of points, from and into arrays of these names.

// input makes the first layer.
func (l lesson) input(into string) program.Dispatch {
	return once("input", []program.Binding{read("points"), whole("theta"), write(into)},
		program.Launch{Mul: l.chunk * l.width / 4, Div: 256, Push: []uint32{uint32(l.width), uint32(l.chunk)}})
}

// square is a launch over the square matrix of hidden layer i.
func (l lesson) square(i int64) program.Launch {
	t := l.tiling()
	return program.Launch{Mul: l.chunk, Div: 2 * t.pairs, Across: t.tiles, Push: []uint32{uint32(l.width), uint32(l.chunk), uint32(l.layer(i)), uint32(t.tiles)}}
}

// forward makes hidden layer i from the one before.
func (l lesson) forward(i int64, from, into string) program.Dispatch {
	return once("forward", []program.Binding{read(from), whole("theta"), write(into)}, l.square(i))
}

// end makes the losses and the adjoints of the last hidden layer.
func (l lesson) end(from, adjoint string) program.Dispatch {
	pde, bc, ic := l.shares()
	push := []uint32{uint32(l.width), uint32(l.chunk), uint32(l.output()), uint32(l.stride())}
	for _, f := range []float64{pde, bc, ic, weightPDE, weightBoundary, weightStart, weightVelocity} {
		push = append(push, math.Float32bits(float32(f)))
	}
	return once("output", []program.Binding{read("points"), whole("theta"), read(from), write(adjoint), write("partials")}, program.Launch{Push: push})
}

// weigh makes the gradient of the weights of hidden layer i.
func (l lesson) weigh(i int64, before, adjoint string) program.Dispatch {
	t := l.tiling()
	return once("weights", []program.Binding{read(before), read(adjoint), write("partials")},
		program.Launch{Mul: t.tiles * t.tiles, Push: []uint32{uint32(l.width), uint32(l.chunk), uint32(l.layer(i)), uint32(l.stride()), uint32(t.tiles)}})
}

// backward makes the adjoints of the layer before hidden layer i, beside its weights.
func (l lesson) backward(i int64, adjoint, before, into string) program.Dispatch {
	d := once("backward", []program.Binding{read(adjoint), whole("theta_transposed"), read(before), write(into)}, l.square(i))
	d.Independent = true
	return d
}

// begin makes the gradient of the first layer.
func (l lesson) begin(adjoint string) program.Dispatch {
	return once("first", []program.Binding{read("points"), read(adjoint), write("partials")},
		program.Launch{Push: []uint32{uint32(l.width), uint32(l.chunk), uint32(l.stride())}})
}

// step is one training step over points divided.
func (l lesson) step(shares []program.Share, algorithm string) []program.Step {
	slabs := l.slabs(shares)
	list := []program.Step{each(l.input(layerName(1)), shares, slabs)}
	for i := int64(2); i <= l.layers; i++ {
		list = append(list, each(l.forward(i, layerName(i-1), layerName(i)), shares, slabs))
	}
	list = append(list, each(l.end(layerName(l.layers), adjointName(l.layers)), shares, slabs))
	for i := l.layers; i > 1; i-- {
		list = append(list, each(l.weigh(i, layerName(i-1), adjointName(i)), shares, slabs),
			each(l.backward(i, adjointName(i), layerName(i-1), adjointName(i-1)), shares, slabs))
	}
	list = append(list, each(l.begin(adjointName(1)), shares, slabs))
	if !l.byDevice() {
		return append(list, l.learn(len(shares), algorithm)...)
	}
	list = append(list, l.aggregation(shares)...)
	return append(list, l.optimize(len(shares))...)
}

// learn adds the gradients of all chunks along the canonical tree and takes the step of the
// optimizer.
func (l lesson) learn(count int, algorithm string) []program.Step {
	sum := program.AllReduce{Array: "partials", Into: "gradient", Op: program.Sum, Order: program.ByChunk, Algorithm: algorithm}
	return append([]program.Step{sum}, l.optimize(count)...)
}

// optimize takes the step of the optimizer, on every device alike.
func (l lesson) optimize(count int) []program.Step {
	width := uint32(l.width)
	return []program.Step{
		all("tick", count, []program.Binding{read("gradient"), both("clock"), write("curve")},
			program.Launch{Push: []uint32{uint32(l.net.losses()), uint32(l.steps), math.Float32bits(l.decay)}}),
		all("update", count, []program.Binding{read("gradient"), read("clock"), both("theta"), write("theta_before"), write("theta_transposed"), both("moments")},
			program.Launch{Mul: (l.net.total() + 255) / 256, Push: []uint32{uint32(l.net.total()), width, uint32(l.rest()), uint32(l.layers - 1)}}),
	}
}
