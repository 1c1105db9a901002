package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/program"
)

// Dynamic asks for units that are handed out while the devices work. The program is the
// one of a single device; every device holds it whole, with inputs of its own making,
// and computes the chunks that it is handed.
type Dynamic struct {
	Assign partition.Assign
	Rates  []float64 // relative rates of the devices before anything is measured
}

// chunking cuts the units into the chunks that are handed out.
type chunking struct {
	size  int64 // units of a chunk
	count int
	units int64
}

func (c chunking) bounds(chunk int) (lo, hi int64) {
	return int64(chunk) * c.size, min(int64(chunk+1)*c.size, c.units)
}

// How many chunks there are depends on the problem alone: one for every chunkCost
// nominal operations, within limits, cut at whole work-groups where that leaves enough.
const (
	chunkCost              = 1e8
	fewChunks, manyChunks  = 64, 1024
	enoughWholeGroupChunks = 4 // a batch that ends inside a group costs all of it
)

// chunked chooses the chunks of a program whose cuts fall on multiples of granule.
func chunked(p *program.Program, pool []program.Dispatch, granule int64) chunking {
	groups := max(granule, 1)
	for _, d := range pool {
		l := d.On[0]
		groups = lcm(groups, max(d.Align, 1))
		if mul, div := max(l.Mul, 1), max(l.Div, 1); div%mul == 0 {
			groups = lcm(groups, div/mul)
		}
	}
	step := max(granule, 1)
	if p.Units/groups >= enoughWholeGroupChunks {
		step = groups
	}
	cost := max(p.Flops, bytesCost*p.Bytes)
	want := int64(min(max(cost/chunkCost, fewChunks), manyChunks))
	size := max((p.Units+want-1)/want, 1)
	size = (size + step - 1) / step * step
	return chunking{size: size, count: int((p.Units + size - 1) / size), units: p.Units}
}

func lcm(a, b int64) int64 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	if a/x > math.MaxInt32/b { // far more than any array has units
		return a
	}
	return a / x * b
}

// dealt is a program as dynamic division runs it: chunks of the pool, then what the
// devices computed is gathered, then every device runs the tail on all of it.
type dealt struct {
	pool    []program.Dispatch
	gather  []string // arrays that every device must hold whole
	trees   []program.AllReduce
	tail    []program.Step // dispatches and trees, the same on every device
	granule int64
}

// buildDynamic builds the program of one device and gives it to all of the team.
func buildDynamic(spec Spec) (*program.Program, *dealt, error) {
	n := len(spec.Adapters)
	b := spec.Build
	b.Count = 1
	var granule int64
	b.Divide = func(units, g int64) []program.Share {
		granule = g
		return []program.Share{{Lo: 0, Hi: units}}
	}
	p, err := built(spec.Workload, b)
	if err != nil {
		return nil, nil, err
	}
	if len(p.Shares) != 1 || p.Shares[0] != (program.Share{Lo: 0, Hi: p.Units}) {
		return nil, nil, fmt.Errorf("%s: program for one device with shares %v of %d units", spec.Workload.Info().ID, p.Shares, p.Units)
	}
	d, err := divisible(p)
	if err != nil {
		return nil, nil, unsupported("%s cannot be divided while it runs: %v: use another --strategy", spec.Workload.Info().ID, err)
	}
	d.granule = granule
	if spec.Residency == EndToEnd {
		return nil, nil, unsupported("--strategy dynamic hands out data that is on the devices: use --residency resident")
	}
	p.Setup = replicate(p.Setup, n)
	for range n - 1 {
		p.Shares = append(p.Shares, p.Shares[0])
	}
	return p, d, nil
}

// replicate gives every device of a team the launch of the first. What carries data
// between devices is left out: each of them holds all of it.
func replicate(steps []program.Step, n int) []program.Step {
	var out []program.Step
	for _, st := range steps {
		if d, ok := st.(program.Dispatch); ok {
			out = append(out, onAll(d, n))
		}
	}
	return out
}

func onAll(d program.Dispatch, n int) program.Dispatch {
	on := make([]program.Launch, n)
	for i := range on {
		on[i] = d.On[0]
	}
	d.On = on
	return d
}

// buildFor builds the program of a launch; what is nil where each device has its share.
func buildFor(spec Spec) (p *program.Program, what *dealt, err error) {
	if spec.Dynamic != nil {
		return buildDynamic(spec)
	}
	p, err = built(spec.Workload, spec.Build)
	return p, nil, err
}

// built is a workload's program. What it refuses to build is unsupported here: whether
// the request was at fault is known before a launch.
func built(w suites.Workload, b suites.Build) (*program.Program, error) {
	p, err := w.Build(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return p, nil
}

// runOnce runs what is timed once: reps iterations, as they were prepared.
func (s *Session) runOnce(ctx context.Context, reps int) (wall, error) {
	if s.deal != nil {
		return s.dealRound(ctx, reps)
	}
	return s.main.run(ctx, s)
}
