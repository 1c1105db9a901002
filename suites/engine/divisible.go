package engine

import (
	"fmt"

	"github.com/amgpu/amgpu/suites/program"
)

// divisible sorts the steps of a one-device program into a pool of dispatches over its
// units, what must be gathered after it, and a tail. The error says what does not fit.
func divisible(p *program.Program) (*dealt, error) {
	if p.Evolves {
		return nil, fmt.Errorf("an iteration changes its own inputs, which stay where they were computed")
	}
	if p.CountDependent {
		return nil, fmt.Errorf("its outputs belong to the ranks of a team")
	}
	for _, st := range p.Setup {
		switch st := st.(type) {
		case program.Broadcast: // every device makes its own copy of a replicated array
			for _, name := range st.Arrays {
				if a, ok := p.Array(name); !ok || a.Layout != program.Replicated {
					return nil, fmt.Errorf("its %s is not a replicated array", stepName(st))
				}
			}
		case program.Exchange: // every device holds the units on both sides
		case program.Dispatch:
		default:
			return nil, fmt.Errorf("its setup holds the step %s", stepText(st))
		}
	}
	d := &dealt{}
	partial := map[string]bool{} // arrays of which a device holds only what it computed
	for _, st := range p.Steps {
		switch st := st.(type) {
		case program.Dispatch:
			over := overUnits(p, st, partial)
			switch {
			case over == nil && len(d.gather) == 0 && len(d.tail) == 0:
				d.pool = append(d.pool, st)
				for _, b := range st.Bind {
					if b.Access != program.Read {
						partial[b.Array] = true
					}
				}
			case over == nil:
				return nil, fmt.Errorf("its units go on after a hand-over")
			case len(d.pool) == 0 || everywhere(p, st, partial) != nil:
				return nil, over
			default:
				d.tail = append(d.tail, st)
			}
		case program.AllGather:
			for i, name := range st.Arrays {
				if len(st.From) > 0 && st.From[i] != name {
					return nil, fmt.Errorf("the step %s gathers from another array", stepName(st))
				}
				d.gather = append(d.gather, name)
				delete(partial, name)
			}
		case program.AllReduce:
			if st.Order != program.ByChunk {
				return nil, fmt.Errorf("the step %s adds up ranks", stepName(st))
			}
			d.gather = append(d.gather, st.Array)
			d.tail = append(d.tail, st)
			d.trees = append(d.trees, st)
		default:
			return nil, fmt.Errorf("it holds the step %s", stepText(st))
		}
	}
	if len(d.pool) == 0 {
		return nil, fmt.Errorf("no dispatch goes over its units")
	}
	return d, nil
}

// stepText names a step also when it is made of others.
func stepText(st program.Step) string {
	switch st := st.(type) {
	case program.Repeat:
		return fmt.Sprintf("repeat of %d steps", len(st.Body))
	case program.Overlap:
		return "overlap with " + stepText(st.Comm)
	case program.Host:
		return "host " + st.Label
	}
	return stepName(st)
}

// overUnits says why a dispatch cannot be cut into chunks; nil: it can. partial are the
// arrays that the steps before wrote chunk by chunk.
func overUnits(p *program.Program, st program.Dispatch, partial map[string]bool) error {
	if l := st.On[0]; l.First != 0 || l.Units != p.Units {
		return fmt.Errorf("the step %s goes over units of its own", stepName(st))
	}
	writes := false
	for _, b := range st.Bind {
		a, ok := p.Array(b.Array)
		if !ok {
			return fmt.Errorf("the step %s binds unknown array %q", stepName(st), b.Array)
		}
		byUnit := b.Window == program.ByUnit && a.Layout != program.Local
		switch {
		case b.Access != program.Read && (!byUnit || b.Before != 0 || b.After != 0):
			return fmt.Errorf("the step %s writes all of %s", stepName(st), a.Name)
		case b.Access == program.Read && partial[a.Name] && (!byUnit || b.Before != 0 || b.After != 0):
			return fmt.Errorf("the step %s reads of %s what other chunks make", stepName(st), a.Name)
		}
		writes = writes || b.Access != program.Read
	}
	if !writes {
		return fmt.Errorf("the step %s writes nothing", stepName(st))
	}
	return nil
}

// everywhere says why a dispatch cannot run on every device over whole arrays; nil: it
// can.
func everywhere(p *program.Program, st program.Dispatch, partial map[string]bool) error {
	for _, b := range st.Bind {
		a, ok := p.Array(b.Array)
		if !ok || partial[b.Array] || a.Layout == program.Split {
			return fmt.Errorf("the step %s needs all of %s", stepName(st), b.Array)
		}
	}
	return nil
}
