package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
)

// stepName is a step as errors name it; empty: it is made of others.
func stepName(st program.Step) string {
	switch st := st.(type) {
	case program.Dispatch:
		if st.Label != "" {
			return st.Label
		}
		return "kernel " + st.Kernel
	case program.Exchange:
		return "exchange of " + strings.Join(st.Arrays, ", ")
	case program.AllReduce:
		return "all-reduce of " + st.Array
	case program.ReduceScatter:
		return "reduce-scatter of " + st.Array
	case program.AllGather:
		return "all-gather of " + strings.Join(st.Arrays, ", ")
	case program.Broadcast:
		return "broadcast of " + strings.Join(st.Arrays, ", ")
	case program.AllToAll:
		return "all-to-all of " + st.Array
	case program.Send:
		return "send of " + st.Array
	}
	return ""
}

// mostSteps bounds the steps that an error lists.
const mostSteps = 4

// does notes that a step has a part in a phase.
func (st *stage) does(name string) {
	if name != "" && len(st.steps) <= mostSteps && !slices.Contains(st.steps, name) {
		st.steps = append(st.steps, name)
	}
}

// stepsText lists the steps of a phase for errors.
func (st *stage) stepsText() string {
	if len(st.steps) > mostSteps {
		return strings.Join(st.steps[:mostSteps], "; ") + "; .."
	}
	return strings.Join(st.steps, "; ")
}

// at adds to the error of a part's schedule which steps the failing phase holds; first
// is the part's first phase.
func (rec *recording) at(err error, first int) error {
	var in *vk.PhaseError
	if !errors.As(err, &in) || first+in.Phase >= len(rec.steps) || rec.steps[first+in.Phase] == "" {
		return err
	}
	return fmt.Errorf("step %q: %w", rec.steps[first+in.Phase], err)
}

// doing adds to an error what the launch was doing.
func doing(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// stuck tells whether a device of the launch has work under way that was given up.
func (s *Session) stuck() bool {
	return slices.ContainsFunc(s.team, (*vk.Device).Stuck)
}

// MemoryUse is what is in use of each device's memory and the most that may be; nil where it is
// not known of all.
func (s *Session) MemoryUse() []result.MemoryUse {
	out := make([]result.MemoryUse, len(s.team))
	for i, d := range s.team {
		used, budget, ok := d.MemoryUse()
		if !ok {
			return nil
		}
		out[i] = result.MemoryUse{Used: int64(used), Budget: int64(budget)}
	}
	return out
}

// HighWater is the most memory that buffers took of each device so far, in bytes.
func (s *Session) HighWater() []int64 {
	out := make([]int64, len(s.team))
	for i, d := range s.team {
		out[i] = int64(d.Memory().HighWater)
	}
	return out
}
