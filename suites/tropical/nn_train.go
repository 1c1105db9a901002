package tropical

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites/program"
)

// Names of the arrays of a training step for layer l, from 1: who won, the slope of the
// loss by its output, and by its weights, the bias's in a last row, of one device's rows and
// of the batch.
func winners(l int) string { return fmt.Sprintf("winner%d", l) }
func delta(l int) string   { return fmt.Sprintf("delta%d", l) }
func slopes(l int) string  { return fmt.Sprintf("slope%d", l) }
func sums(l int) string    { return fmt.Sprintf("sum%d", l) }

// trainingStep appends the forward pass that keeps winners, the slopes from the last layer
// to the first, their sums over all devices in rank order, and the descent. An iteration
// changes the weights, and the sums depend on the count.
func trainingStep(p *program.Program, n net) {
	p.Evolves, p.CountDependent = true, true
	p.Flops *= 2
	p.Kernels = []program.Kernel{
		{Name: "winners", Shader: "tropical/winners"}, {Name: "delta", Shader: "tropical/delta"},
		{Name: "back", Shader: "tropical/back"}, {Name: "slopes", Shader: "tropical/slopes"}, {Name: "descend", Shader: "tropical/descend"},
	}
	tiles := n.tiles()
	if n.width%4 == 0 {
		tiles, p.Kernels[0].Shader = n.smallTiles(), "tropical/winners64"
	}
	if n.layers == 1 {
		p.Kernels = append(p.Kernels[:2], p.Kernels[3:]...)
	}
	width := uint32(n.width)
	p.Arrays = append(p.Arrays, program.Array{Name: "target", Layout: program.Split, Units: n.batch, Stride: n.width, Source: program.Random(idTarget, targetLo, targetHi)})
	for l := 1; l <= n.layers; l++ {
		p.Arrays = append(p.Arrays,
			program.Array{Name: winners(l), Elem: program.U32, Layout: program.Split, Units: n.batch, Stride: n.width},
			program.Array{Name: delta(l), Layout: program.Split, Units: n.batch, Stride: n.width},
			program.Array{Name: slopes(l), Layout: program.Local, Units: n.width + 1, Stride: n.width, Source: program.Source{Kind: program.Zero}},
			program.Array{Name: sums(l), Layout: program.Local, Units: n.width + 1, Stride: n.width, Output: true})
		d := sequences(p, "winners", tiles, []uint32{width, width},
			program.Binding{Array: output(l), Access: program.Write}, program.Binding{Array: output(l - 1)}, whole(weights(l)), whole(biases(l)),
			program.Binding{Array: winners(l), Access: program.Write})
		d.Align = tiles.Div
		p.Steps = append(p.Steps, d)
	}
	elements := program.Launch{Mul: n.width, Div: deltaSize}
	p.Steps = append(p.Steps, sequences(p, "delta", elements, []uint32{width},
		program.Binding{Array: delta(n.layers), Access: program.Write}, program.Binding{Array: output(n.layers)}, program.Binding{Array: "target"}))
	for l := n.layers; l >= 1; l-- {
		p.Steps = append(p.Steps, weightSlopes(p, n, l))
		if l > 1 {
			p.Steps = append(p.Steps, sequences(p, "back", program.Launch{}, []uint32{width},
				program.Binding{Array: delta(l - 1), Access: program.Write}, program.Binding{Array: winners(l)}, program.Binding{Array: delta(l)}))
		}
	}
	for l := n.layers; l >= 1; l-- {
		p.Steps = append(p.Steps, program.AllReduce{Array: slopes(l), Into: sums(l), Op: program.Sum, Order: program.ByRank},
			descent(p, weights(l), sums(l), 0, n.width, n.width), descent(p, biases(l), sums(l), n.width, 1, n.width))
	}
}

// weightSlopes sums over a device's rows. One without rows keeps the zeros of the source.
func weightSlopes(p *program.Program, n net, l int) program.Dispatch {
	d := program.Dispatch{Label: "slopes", Kernel: "slopes", Bind: []program.Binding{
		{Array: slopes(l), Access: program.ReadWrite, Window: program.Whole}, {Array: winners(l)}, {Array: delta(l)},
	}}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{
			Units: s.Len(), Div: n.batch, Across: ceilDiv(n.width, slopesAcross) * ceilDiv(n.width+1, sumsEach),
			Push: []uint32{uint32(n.width), uint32(s.Lo)},
		})
	}
	return d
}

// descent changes rows of an array, of which every device has a copy, by those of the
// slopes from row first on.
func descent(p *program.Program, array, slope string, first, rows, width int64) program.Dispatch {
	d := program.Dispatch{Label: "descend", Kernel: "descend", Bind: []program.Binding{
		{Array: array, Access: program.ReadWrite, Window: program.Whole}, {Array: slope, Window: program.Fixed, First: first, Units: rows},
	}}
	for range p.Shares {
		d.On = append(d.On, program.Launch{
			Units: 1, Across: ceilDiv(rows*width, descendGroup), Push: []uint32{uint32(rows * width), math.Float32bits(rate)},
		})
	}
	return d
}
