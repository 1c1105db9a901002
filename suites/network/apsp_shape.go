package network

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
)

// paths is the shape of the problem.
type paths struct {
	n, pitch, units int64
	chance, weights uint32
	given           *ways // nil: of a random graph
}

func pathsOf(b suites.Build) (paths, error) {
	n, binding := b.Size, b.Limits.BindingBytes
	var given *ways
	if b.Input != "" {
		if b.Weak {
			return paths{}, fmt.Errorf("network/apsp: a graph from a file has one size: use strong mode, or weak mode without an input")
		}
		var err error
		if given, err = waysOf(b); err != nil {
			return paths{}, fmt.Errorf("network/apsp: %w", err)
		}
		n = given.n
	}
	if n < 2 || n > maxPaths {
		return paths{}, fmt.Errorf("network/apsp: %d nodes: choose 2 to %d", n, int64(maxPaths))
	}
	p := paths{n: n, pitch: (n + blockTile - 1) / blockTile * blockTile, given: given}
	p.units = p.pitch / blockRows
	p.chance = uint32(min(outDegree<<22/n, 1<<22))
	p.weights = uint32(min(maxWeight, (1<<24)/n-1)) // the longest path has n-1 edges
	if b.Params["hops"] == 1 {
		p.weights = 1
	}
	if bytes := p.pitch * blockRows * 4; binding > 0 && bytes > binding {
		return p, fmt.Errorf("network/apsp: %d rows of %d nodes do not fit a binding of %d bytes: choose fewer nodes", int64(blockRows), n, binding)
	}
	return p, nil
}
