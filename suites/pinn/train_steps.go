package pinn

import (
	"math"

	"github.com/amgpu/amgpu/suites/program"
)

// tiling is how the kernels of square layers are cut: tiles of columns of a line, columns
// (vec4) of a tile, pairs of points of a work-group, depth of a shared tile.
type tiling struct{ tiles, columns, pairs, depth int64 }

// tiling depends on the network alone. Tiles are at most 25 vec4 wide, which two of
// pinn/weights' points and 100 neurons fill best.
func (n net) tiling() tiling {
	line := n.width / 4
	t := tiling{tiles: (line + 24) / 25}
	t.columns = (line + t.tiles - 1) / t.tiles
	t.pairs = min(16, 256/t.columns)
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
	if l.aggregate != weighted {
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

// each makes a dispatch over the chunks of every share.
func each(name string, shares []program.Share, bind []program.Binding, launch program.Launch) program.Dispatch {
	d := program.Dispatch{Label: name, Kernel: name, Bind: bind}
	for _, s := range shares {
		launch.Units = s.Len()
		d.On = append(d.On, launch)
	}
	return d
}

// all makes a dispatch that every device does alike, over Local arrays.
func all(name string, shares []program.Share, bind []program.Binding, launch program.Launch) program.Dispatch {
	d := program.Dispatch{Label: name, Kernel: name, Bind: bind}
	launch.Units = 1
	for i := range d.Bind {
		d.Bind[i].Window = program.Whole
	}
	for range shares {
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

// step is one training step.
func (l lesson) step(shares []program.Share, algorithm string) []program.Step {
	t := l.tiling()
	width, chunk, stride := uint32(l.width), uint32(l.chunk), uint32(l.stride())
	layer := program.Launch{Mul: l.chunk, Div: 2 * t.pairs, Across: t.tiles}
	of := func(i int64) []uint32 { return []uint32{width, chunk, uint32(l.layer(i)), uint32(t.tiles)} }

	list := []program.Step{each("input", shares, []program.Binding{read("points"), whole("theta"), write("z1")},
		program.Launch{Mul: l.chunk * l.width / 4, Div: 256, Push: []uint32{width, chunk}})}
	for i := int64(2); i <= l.layers; i++ {
		layer.Push = of(i)
		list = append(list, each("forward", shares, []program.Binding{read(layerName(i - 1)), whole("theta"), write(layerName(i))}, layer))
	}
	pde, bc, ic := l.shares()
	output := []uint32{width, chunk, uint32(l.output()), stride}
	for _, f := range []float64{pde, bc, ic, weightPDE, weightBoundary, weightStart, weightVelocity} {
		output = append(output, math.Float32bits(float32(f)))
	}
	list = append(list, each("output", shares, []program.Binding{
		read("points"), whole("theta"), read(layerName(l.layers)), write(adjointName(l.layers)), write("partials"),
	}, program.Launch{Push: output}))
	for i := l.layers; i > 1; i-- {
		weights := program.Launch{Mul: t.tiles * t.tiles, Push: []uint32{width, chunk, uint32(l.layer(i)), stride, uint32(t.tiles)}}
		list = append(list, each("weights", shares, []program.Binding{read(layerName(i - 1)), read(adjointName(i)), write("partials")}, weights))
		layer.Push = of(i)
		back := each("backward", shares, []program.Binding{read(adjointName(i)), whole("theta_transposed"), read(layerName(i - 1)), write(adjointName(i - 1))}, layer)
		back.Independent = true
		list = append(list, back)
	}
	list = append(list, each("first", shares, []program.Binding{read("points"), read(adjointName(1)), write("partials")},
		program.Launch{Push: []uint32{width, chunk, stride}}))

	list = append(list, l.aggregation(shares, algorithm)...)
	list = append(list,
		all("tick", shares, []program.Binding{read("gradient"), both("clock"), write("curve")},
			program.Launch{Push: []uint32{uint32(l.net.losses()), uint32(l.steps), math.Float32bits(l.decay)}}),
		all("update", shares, []program.Binding{read("gradient"), read("clock"), both("theta"), write("theta_before"), write("theta_transposed"), both("moments")},
			program.Launch{Mul: (l.net.total() + 255) / 256, Push: []uint32{uint32(l.net.total()), width, uint32(l.rest()), uint32(l.layers - 1)}}))
	return list
}
