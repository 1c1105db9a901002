package pinn

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const trainNumber = 36

func init() { suites.Register(train{}) }

type train struct{}

// Philox array ids.
const (
	idTheta  = 1
	idPoints = 2
)

const (
	maxPoints = 1 << 26
	maxWidth  = 256
	maxLayers = 16
	// rateUnit is the unit of the parameter rate.
	rateUnit = 1e-6
)

func (train) Info() suites.Info {
	return suites.Info{
		ID: "pinn/train", Number: trainNumber,
		Doc:           "Training of a physics-informed network for the wave equation: jets forward, reverse mode through them, Adam or SGD",
		Source:        "kwavers; Raissi, Perdikaris, Karniadakis 2019",
		Formula:       "loss = mean (u_tt - lap u)^2 + 10 mean u^2 (boundary) + 10 mean (u - u0)^2 + 10 mean u_t^2 (t = 0)",
		Sizes:         suites.Sizes{S: 256, M: 1 << 16, L: 1 << 20},
		SizeUnit:      "collocation points; besides 50 boundary points a side and 200 at t = 0",
		WorkUnit:      "step",
		Flops:         "6 C W per point and step: C channels (1-D 5, 2-D 7), W weights",
		Bytes:         "about 40 C H per point, hidden layer of width H and step",
		Splits:        []string{"data", spatial, pipeline, hybrid},
		Algorithms:    []string{"chunk-tree"},
		Communication: "every step: all-reduce of the gradient, 4 B a parameter, along the canonical chunk tree (aggregation 0) or by rank; pipeline and hybrid besides: 4 C width m B for m points handed over forward and back, ideal efficiency M/(M + stages - 1) for M micro-batches and equal stages",
		Tolerance:     "E3: gradient of a chunk 2e-5 relative L2 against 64 bits and 2e-6 of the residuals' terms, optimizer step 1e-5; D0: equal loss curves",
		Weak:          "collocation points proportional to the number of devices",
		State:         []string{"theta", "theta_transposed", "moments", "clock", "curve"},
		Params: []suites.Param{
			{Name: "steps", Doc: "training steps of one iteration (0: 4 up to size 1024, else 10, from 2^20 points on 2)", Default: 0, Min: 0, Max: 1 << 20},
			{Name: "dims", Doc: "dimensions of space (0: 1 up to size 1024, else 2)", Default: 0, Min: 0, Max: 2},
			{Name: "width", Doc: "neurons of a hidden layer (0: 16 up to size 1024, 200 from 2^20 points on, else 100)", Default: 0, Min: 0, Max: maxWidth},
			{Name: "layers", Doc: "hidden layers (0: 2 up to size 1024, else 4)", Default: 0, Min: 0, Max: maxLayers},
			{Name: "optimizer", Doc: "0: SGD, 1: Adam", Default: 1, Min: 0, Max: 1},
			{Name: "aggregation", Doc: "of the devices' gradients: 0 weighted by points, 1 average of their means, 2 that without devices of outlying norm", Default: weighted, Min: 0, Max: adaptive},
			{Name: "trust", Doc: "tenths of the median norm above which aggregation 2 leaves a device out", Default: 20, Min: 10, Max: 1000},
			{Name: "rate", Doc: "learning rate in millionths", Default: 1000, Min: 1, Max: 1000000},
			{Name: "overlap", Doc: "width of the strip around the border of two slabs of spatial whose points belong to both devices, in thousandths", Default: 0, Min: 0, Max: overlapUnit},
			{Name: "batches", Doc: "micro-batches of pipeline and hybrid", Default: 8, Min: 1, Max: 256},
			{Name: "stages", Doc: "devices of one pipeline of hybrid, at most; so many that none is left over", Default: 2, Min: 1, Max: maxLayers},
			{Name: "halving", Doc: "steps in which the learning rate halves (0: it stays)", Default: 0, Min: 0, Max: 1 << 30},
		},
	}
}

// lesson is the problem: what the outputs depend on.
type lesson struct {
	net
	cloud
	steps     int64
	optimizer int64
	aggregate int64
	limit     float32 // of squared norms, in medians
	overlap   float32 // width of the strip that belongs to two slabs
	rate      float32
	decay     float32
	seed      uint64
	stages    int64 // 1: layers are not divided
	padded    int64 // units of the gradients of one stage
}

func lessonOf(b suites.Build) (lesson, error) {
	base := b.Size
	if b.Weak {
		base = b.Base
	}
	if b.Size < 1 || b.Size > maxPoints {
		return lesson{}, fmt.Errorf("pinn/train: %d collocation points: choose a size from 1 to %d", b.Size, int64(maxPoints))
	}
	// choose is a parameter, or by the size of the problem the one that it takes for 0.
	choose := func(name string, small, middle, large int64) int64 {
		switch v := b.Params[name]; {
		case v != 0:
			return v
		case base <= 1024:
			return small
		case base < 1<<20:
			return middle
		}
		return large
	}
	l := lesson{
		net:       net{inputs: 1 + choose("dims", 1, 2, 2), hidden: choose("width", 16, 100, 200), layers: choose("layers", 2, 4, 4)},
		steps:     choose("steps", 4, 10, 2),
		optimizer: b.Params["optimizer"],
		aggregate: b.Params["aggregation"],
		rate:      float32(float64(b.Params["rate"]) * rateUnit),
		overlap:   float32(float64(b.Params["overlap"]) / overlapUnit),
		decay:     1,
		seed:      b.Seed,
	}
	trust := float64(b.Params["trust"]) / trustUnit
	l.limit = float32(trust * trust)
	l.width = (l.hidden + 3) / 4 * 4
	if h := b.Params["halving"]; h > 0 {
		l.decay = float32(math.Exp2(-1 / float64(h)))
	}
	if l.overlap > 0 && b.Split != spatial {
		return l, fmt.Errorf("pinn/train: an overlap is that of slabs: choose --split %s, or --param overlap=0", spatial)
	}
	l.cloud = cloudOf(b.Seed, l.net.inputs, b.Size, orderOf(b.Split, l.aggregate))
	l.stages, l.padded = stagesOf(b, l.layers), l.chunks
	if b.Split == pipeline || b.Split == hybrid {
		l.padded = 1 << bits.Len64(uint64(l.chunks-1))
		if l.aggregate != weighted {
			return l, fmt.Errorf("pinn/train: aggregation %d weighs the gradients of devices, which with --split %s hold a part of the layers each: choose --param aggregation=%d, or --split data", l.aggregate, b.Split, weighted)
		}
	}
	if bytes, limit := l.cloud.chunk*l.channels()*l.width*4, b.Limits.BindingBytes; limit > 0 && max(bytes, l.stride()*4)+256 > limit {
		return l, fmt.Errorf("pinn/train: a chunk of %d points takes %d bytes and does not fit a binding of %d: choose a smaller --size or --param width", l.cloud.chunk, bytes, limit)
	}
	return l, nil
}

// Weights of the four losses.
const (
	weightPDE      = 1
	weightBoundary = 10
	weightStart    = 10
	weightVelocity = 10
)

func (train) Build(b suites.Build) (*program.Program, error) {
	l, err := lessonOf(b)
	if err != nil {
		return nil, err
	}
	p := &program.Program{Units: l.chunks, Shares: b.Divide(l.chunks, 1), Evolves: true, CountDependent: l.byDevice()}
	body := l.step(p.Shares, b.Algorithm)
	if b.Split == pipeline || b.Split == hybrid {
		c := crewOf(b.Split, l.stages, l.layers, p.Shares)
		p.Units, p.Shares, p.Loads = l.stages*l.padded, c.shares(l.padded), c.loads(l.net)
		p.Arrays, body = l.stageArrays(c), l.stageStep(c, b.Params["batches"], b.Algorithm)
	} else {
		p.Arrays = l.pointArrays(l.reach(p.Shares))
	}
	l.teach(p)
	p.Steps = []program.Step{program.Repeat{Times: int(l.steps), Body: body}}
	p.Work = float64(l.steps)
	points := float64(l.cloud.total) * float64(l.steps)
	p.Flops = 6 * float64(l.channels()*l.weights()) * points
	p.Bytes = 40 * float64(l.channels()*l.hidden*l.layers) * points
	return p, nil
}

// pointArrays are the arrays of a division by points, in chunks; halo of them on both sides
// are those of neighbours that a device computes too.
func (l lesson) pointArrays(halo int64) (list []program.Array) {
	split := func(name string, stride int64, source program.Source) {
		list = append(list, program.Array{Name: name, Elem: program.F32, Layout: program.Split, Units: l.chunks, Stride: stride, Halo: halo, Source: source})
	}
	at := l.at
	split("points", 4*l.chunk, program.Source{Kind: program.Made, Make: func(_ int, first int64, into []uint32) {
		for k := range into {
			e := first + int64(k)
			into[k] = math.Float32bits(at[e/4][e%4])
		}
	}})
	for i := int64(1); i <= l.layers; i++ {
		split(layerName(i), l.chunk*l.channels()*l.width, program.Source{})
	}
	for i := range min(l.layers, 2) {
		split(adjointName(l.layers-i), l.chunk*l.channels()*l.width, program.Source{})
	}
	split("partials", l.stride(), program.Source{})
	return list
}

// teach adds what every device has alike: gradient, parameters, optimizer, loss curve, and
// the kernels.
func (l lesson) teach(p *program.Program) {
	local := func(name string, stride int64, output bool, value func(i int64) float32) {
		a := program.Array{Name: name, Elem: program.F32, Layout: program.Local, Units: 1, Stride: stride, Output: output, Source: program.Source{Kind: program.Zero}}
		if value != nil {
			a.Source = program.Source{Kind: program.Made, Make: func(_ int, first int64, into []uint32) {
				for k := range into {
					into[k] = math.Float32bits(value(first + int64(k)))
				}
			}}
		}
		p.Arrays = append(p.Arrays, a)
	}
	local("gradient", l.stride(), false, nil)
	if l.byDevice() {
		p.Arrays = append(p.Arrays, program.Array{Name: "mine", Elem: program.F32, Layout: program.Local, Units: 1, Stride: l.stride(), Distinct: true, Source: program.Source{Kind: program.Zero}})
	}
	if l.aggregate == adaptive {
		local("norms", int64(len(p.Shares)), false, nil)
	}
	local("theta", l.stride(), true, func(i int64) float32 { return l.start(l.seed, i) })
	local("theta_before", l.stride(), false, nil)
	local("theta_transposed", l.stride(), false, func(i int64) float32 { return l.start(l.seed, l.transposed(i)) })
	local("moments", 2*l.stride(), false, nil)
	local("clock", 4, false, func(i int64) float32 { return [4]float32{3: l.rate}[i] })
	local("curve", 4*l.steps, true, nil)
	p.Kernels = l.kernels()
}

func layerName(l int64) string { return fmt.Sprintf("z%d", l) }

// adjointName alternates, as a layer's adjoints make those of the layer before.
func adjointName(l int64) string { return fmt.Sprintf("adjoint%d", l%2) }
