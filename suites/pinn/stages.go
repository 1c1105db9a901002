package pinn

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// The divisions by layers. With pipeline all devices are stages of one network, with hybrid
// several such pipelines share the points.
const (
	pipeline = "pipeline"
	hybrid   = "hybrid"
)

// post is the place of a device in a division by layers: the pipeline that it belongs to,
// its stage there, and the hidden layers first to last that it holds.
type post struct {
	pipe, stage int64
	first, last int64
}

// crew is a division by layers: devices in the order of their stages, so that those of a
// stage are neighbours. All pipelines are cut alike, or the sums of gradients would not be
// those of the canonical tree; devices beyond them have nothing to do.
type crew struct {
	stages, count int64
	posts         []post          // by device
	parts         []program.Share // by pipeline: its chunks
}

// stagesOf is how many stages the pipelines of a build have; 1: layers are not divided.
func stagesOf(b suites.Build, layers int64) int64 {
	count := int64(b.Count)
	switch b.Split {
	case pipeline:
		return min(count, layers)
	case hybrid:
		n := min(max(b.Params["stages"], 1), count, layers)
		for count%n != 0 { // no device is left over
			n--
		}
		return n
	}
	return 1
}

// crewOf divides a network of that many layers over devices that would have these shares
// of the chunks.
func crewOf(split string, stages, layers int64, shares []program.Share) crew {
	c := crew{stages: stages, count: int64(len(shares))}
	pipes := int64(1)
	if split == hybrid {
		pipes = c.count / stages
	}
	for s := range stages {
		first, last := layersOf(s, stages, layers)
		for p := range pipes {
			c.posts = append(c.posts, post{p, s, first, last})
		}
	}
	c.parts = make([]program.Share, pipes)
	for d, s := range shares { // a pipeline has the chunks of its devices
		c.parts[int64(d)%pipes].Hi += s.Len()
	}
	for p := range c.parts[1:] {
		c.parts[p+1].Lo = c.parts[p].Hi
		c.parts[p+1].Hi += c.parts[p].Hi
	}
	return c
}

// layersOf are the hidden layers of a stage. All but the first have a square matrix: these
// are dealt out evenly, and the first one goes with the first stage, which it has to itself
// where there are as many stages as layers.
func layersOf(stage, stages, layers int64) (first, last int64) {
	if stages == layers {
		return stage + 1, stage + 1
	}
	square := layers - 1
	upTo := func(s int64) int64 { return 1 + s*(square/stages) + min(s, square%stages) }
	first, last = upTo(stage)+1, upTo(stage+1)
	if stage == 0 {
		first = 1
	}
	return first, last
}

// at is the device of a stage of a pipeline.
func (c crew) at(pipe, stage int64) int { return int(stage*int64(len(c.parts)) + pipe) }

// longest is the most chunks of a pipeline.
func (c crew) longest() (n int64) {
	for _, p := range c.parts {
		n = max(n, p.Len())
	}
	return n
}

// shares divides the units of the partial gradients: a block of `padded` units for each
// stage, in each block the chunks pipeline by pipeline. A chunk's gradient is then in as many
// parts as there are stages, each at its place in the vector and -0 elsewhere, which adds
// nothing to any number. As blocks are aligned subtrees of the canonical tree, the sum has
// the bits of a division by points.
func (c crew) shares(padded int64) []program.Share {
	out := make([]program.Share, c.count)
	for d := range out {
		lo := c.stages * padded
		if d < len(c.posts) {
			lo = c.posts[d].stage*padded + c.parts[c.posts[d].pipe].Lo
		}
		if d > 0 {
			out[d-1].Hi = lo
		}
		out[d].Lo = lo
	}
	out[len(out)-1].Hi = c.stages * padded
	return out
}

// loads is the work of each device: its chunks times the weights of its layers, those of the
// output with the last stage.
func (c crew) loads(n net) []int64 {
	out := make([]int64, c.count)
	for d, p := range c.posts {
		weights := int64(0)
		for layer := p.first; layer <= p.last; layer++ {
			from := n.hidden
			if layer == 1 {
				from = n.inputs
			}
			weights += from * n.hidden
		}
		if p.last == n.layers {
			weights += n.hidden
		}
		out[d] = c.parts[p.pipe].Len() * weights
	}
	return out
}

// batch is the chunks of micro-batch m of a pipeline, counted from its first.
func (c crew) batch(pipe, m, batches int64) program.Share {
	n := c.parts[pipe].Len()
	length := (n + batches - 1) / batches
	return program.Share{Lo: min(m*length, n), Hi: min((m+1)*length, n)}
}

// z names what a stage keeps of a layer: what it received, what it hands on, or its own.
func (p post) z(layer int64) string {
	switch layer {
	case p.first - 1:
		return "z_in"
	case p.last:
		return "z_out"
	}
	return fmt.Sprintf("z%d", layer-p.first+1)
}

// adjoint names the adjoints of a layer on a stage; those of its own layers take turns.
func (p post) adjoint(layer int64) string {
	switch {
	case layer < p.first:
		return "adjoint_out"
	case (p.last-layer)%2 == 0:
		return "adjoint_in"
	}
	return "adjoint_own"
}
