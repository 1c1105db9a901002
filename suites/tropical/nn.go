package tropical

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const nnNumber = 6

func init() { suites.Register(nn{}) }

type nn struct{}

// Philox array ids of a network: input and target, weights and biases of layer l from 1.
const (
	idInput, idTarget       = 1, 2
	idWeights, idBias       = 16, 48 // + l
	maxWidth, maxLayers     = 4096, 16
	biasLo, biasHi          = float32(0), float32(3) // some win over the best input
	targetLo, targetHi      = float32(0), float32(8)
	rate                    = float32(0x1p-10)
	slopesAcross, sumsEach  = 64, 64
	descendGroup, deltaSize = 256, 256
)

func (nn) Info() suites.Info {
	return suites.Info{
		ID: "tropical/nn", Number: nnNumber,
		Doc: "Network over the max-plus semiring, forward; train 1: a training step with the subgradient of 1/2 sum (y - t)^2 " +
			"through the winning inputs (lowest on ties), an all-reduce and gradient descent",
		Source:   "Amari",
		Formula:  "y_bo = max(max_i (x_bi + W_io), bias_o) per layer; scaling 1 subtracts each row's maximum between layers; dW_io = sum of delta_bo where i won",
		Sizes:    suites.Sizes{S: 64, M: 1024, L: 8192},
		SizeUnit: "rows of the batch; width 0 makes layers as wide, up to 4096",
		Note: "with width 0 S is 64 x 64 x 64, M 1024 x 1024 x 1024, L 8192 x 4096 x 4096 (rows, inputs, outputs of a layer); the specification gives layers at M, 4, " +
			"and S and L have as many: a layer alone has nothing between layers to check, and rates of one shape compare (--param layers=1 for one)",
		Layout:        "by rows: x a row of the batch, W an input a row",
		WorkUnit:      "flop",
		Flops:         "2 B I O per layer; train: as much again per layer for dW",
		Arithmetic:    "max-plus",
		Bytes:         "4 (B I + I O + O + B O) per layer",
		Splits:        []string{"batch"},
		Communication: "weights are broadcast once; train: all-reduce(sum) of 4 (I O + O) B per layer and step",
		Tolerance:     "forward E0, D0; winners exact; gradients E1 (n = batch, or width)",
		Weak:          "batch proportional to the number of devices, layers fixed",
		Params: []suites.Param{
			{Name: "layers", Doc: "layers", Default: 4, Min: 1, Max: maxLayers},
			{Name: "width", Doc: "inputs and outputs of every layer; 0: by the size", Default: 0, Min: 0, Max: maxWidth},
			{Name: "scaling", Doc: "1: subtract row maxima between layers", Default: 0, Min: 0, Max: 1},
			{Name: "train", Doc: "1: a training step", Default: 0, Min: 0, Max: 1},
		},
		Tunables: []suites.Tunable{nnFused, nnTile},
	}
}

// nnFused shows what fusion saves: a pass over every layer's outputs.
var nnFused = suites.Tunable{
	Name: "fused", Doc: "1: the kernel of a layer's products takes the bias as well; 0: a kernel of its own (forward pass)", Values: []int64{0, 1}, Default: 1,
}

// nnTile is a choice between more reuse and more work-groups.
var nnTile = suites.Tunable{
	Name: "tile", Doc: "edge of the tiles of a forward pass, 64 or 128; 0: 64 where there are few of 128; widths that 4 does not divide take 128",
	Values: []int64{0, smallTile, tile}, Default: 0,
	Else: []suites.ClassDefault{{Class: suites.Software, Value: tile, Why: "few cores are busy with few tiles, and larger ones read less"}},
}

// net is the shape of a problem.
type net struct {
	batch, width   int64
	base           int64 // rows of the batch, in weak mode of one device's
	layers         int
	scaling, train bool
}

func netOf(b suites.Build) (net, error) {
	rows, base := shape(b)
	n := net{rows, b.Params["width"], base, int(b.Params["layers"]), b.Params["scaling"] == 1, b.Params["train"] == 1}
	if n.width == 0 {
		n.width = min(base, maxWidth)
	}
	switch {
	case rows < 1 || rows > maxEdge || n.width < 1 || n.width > maxWidth || n.layers < 1 || n.layers > maxLayers:
		return n, fmt.Errorf("tropical/nn: %d rows, %d layers of %d: choose a size from 1 to %d, 1 to %d layers and a width of 0 to %d",
			rows, n.layers, n.width, int64(maxEdge), maxLayers, maxWidth)
	case n.train && n.scaling:
		return n, fmt.Errorf("tropical/nn: a training step has no scaling: choose scaling 0 or train 0")
	case b.Limits.BindingBytes > 0 && 4*(n.width+1)*n.width > b.Limits.BindingBytes-slackBytes:
		return n, fmt.Errorf("tropical/nn: weights of %d x %d do not fit a binding of %d bytes: choose a smaller width", n.width, n.width, b.Limits.BindingBytes)
	}
	return n, nil
}

// Names of the arrays of layer l, from 1: its output (0: the input), weights and bias.
func output(l int) string  { return fmt.Sprintf("x%d", l) }
func weights(l int) string { return fmt.Sprintf("W%d", l) }
func biases(l int) string  { return fmt.Sprintf("bias%d", l) }

func (nn) Build(b suites.Build) (*program.Program, error) {
	n, err := netOf(b)
	if err != nil {
		return nil, err
	}
	p := &program.Program{Units: n.batch, Shares: b.Divide(n.batch, granule)}
	p.Arrays = []program.Array{{Name: output(0), Layout: program.Split, Units: n.batch, Stride: n.width, Source: program.Random(idInput, lo, hi)}}
	var replicas []string
	for l := 1; l <= n.layers; l++ {
		p.Arrays = append(p.Arrays,
			program.Array{Name: output(l), Layout: program.Split, Units: n.batch, Stride: n.width, Output: l == n.layers},
			program.Array{Name: weights(l), Layout: program.Replicated, Units: n.width, Stride: n.width, Source: program.Random(idWeights+uint32(l), lo, hi)},
			program.Array{Name: biases(l), Layout: program.Replicated, Units: 1, Stride: n.width, Source: program.Random(idBias+uint32(l), biasLo, biasHi)})
		replicas = append(replicas, weights(l), biases(l))
	}
	p.Setup = []program.Step{program.Broadcast{Arrays: replicas}}
	w, rows := float64(n.width), float64(n.batch)
	p.Flops = 2 * rows * w * w * float64(n.layers)
	p.Bytes = 4 * (2*rows*w + w*w + w) * float64(n.layers)
	if n.train {
		trainingStep(p, n)
	} else {
		forwardPass(p, n, b.Tuned(nnFused) == 1, b.Tuned(nnTile))
	}
	p.Work = p.Flops
	return p, nil
}

// wide is the constant that asks for 16-byte accesses.
func wide(width int64) []program.Spec {
	if width%4 == 0 {
		return []program.Spec{{ID: 1, Value: 1}}
	}
	return nil
}

// tiles is the grid of a layer over a device's rows.
func (n net) tiles() program.Launch {
	return program.Launch{Div: tile, Across: ceilDiv(n.width, tile)}
}

// smallTiles is the same with tiles a quarter as large.
func (n net) smallTiles() program.Launch {
	return program.Launch{Div: smallTile, Across: ceilDiv(n.width, smallTile)}
}

// Few tiles leave most of a large GPU idle: below fewTiles a forward pass takes smaller ones.
// In weak mode one device's decide for all counts.
const fewTiles, smallTile = 256, 64

// forwardTiles is the grid of a forward pass and its kernel. Both make the same bits.
func (n net) forwardTiles(edge int64) (program.Launch, program.Kernel) {
	if edge == 0 && ceilDiv(n.base, tile)*ceilDiv(n.width, tile) >= fewTiles {
		edge = tile
	}
	if n.width%4 != 0 || edge == tile {
		return n.tiles(), program.Kernel{Name: "layer", Shader: "tropical/layer", Spec: wide(n.width)}
	}
	return n.smallTiles(), program.Kernel{Name: "layer", Shader: "tropical/layer64"}
}

func forwardPass(p *program.Program, n net, fused bool, edge int64) {
	tiles, kernel := n.forwardTiles(edge)
	p.Kernels = []program.Kernel{kernel}
	if !fused {
		p.Kernels[0].Spec = append(p.Kernels[0].Spec, program.Spec{ID: 2, Value: 0})
		p.Kernels = append(p.Kernels, program.Kernel{Name: "bias", Shader: "tropical/bias"})
	}
	if n.scaling {
		p.Kernels = append(p.Kernels, program.Kernel{Name: "scale", Shader: "tropical/scale"})
	}
	width := uint32(n.width)
	for l := 1; l <= n.layers; l++ {
		d := sequences(p, "layer", tiles, []uint32{width, width},
			program.Binding{Array: output(l), Access: program.Write}, program.Binding{Array: output(l - 1)}, whole(weights(l)), whole(biases(l)))
		d.Align = tiles.Div
		p.Steps = append(p.Steps, d)
		if !fused {
			p.Steps = append(p.Steps, sequences(p, "bias", program.Launch{}, []uint32{width},
				program.Binding{Array: output(l), Access: program.ReadWrite}, whole(biases(l))))
		}
		if n.scaling && l < n.layers {
			p.Steps = append(p.Steps, sequences(p, "scale", program.Launch{}, []uint32{width}, program.Binding{Array: output(l), Access: program.ReadWrite}))
		}
	}
}
