package engine

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
)

// fault makes a launch fail on purpose, so that the whole path from a faulty
// device to the exit code can be tested: AMGPU_FAULT=wrong-result flips a word
// of an output on the first device, device-lost:N reports the N-th device of
// the team lost at its third sample.
type fault struct {
	wrong bool
	lost  int // device of the team; -1: none
}

// lostAtSample leaves a few good samples behind before the device goes.
const lostAtSample = 3

func readFault() (fault, error) {
	f := fault{lost: -1}
	var err error
	kind, arg, _ := strings.Cut(os.Getenv("AMGPU_FAULT"), ":")
	switch kind {
	case "wrong-result":
		f.wrong = true
	case "device-lost":
		if f.lost, err = strconv.Atoi(arg); err != nil || f.lost < 0 {
			return f, fmt.Errorf("AMGPU_FAULT=device-lost:%s: name a device of the team, from 0", arg)
		}
	case "":
	default:
		return f, fmt.Errorf("AMGPU_FAULT=%s: use wrong-result or device-lost:N", kind)
	}
	return f, nil
}

// corrupt overwrites the first word of the first output on device 0.
func (f fault) corrupt(ctx context.Context, s *Session) error {
	if !f.wrong {
		return nil
	}
	for j := range s.prog.Arrays {
		a := &s.prog.Arrays[j]
		if !a.Output {
			continue
		}
		return s.workers[0].do(func(d *vk.Device) error {
			at := int64(0)
			if a.Layout == program.Split {
				at = a.Halo
			}
			r := s.arrays[0][a.Name].regions(at, at+1)[0]
			return run(ctx, d, []vk.Op{{Kind: vk.OpFill, Dst: r.buffer, DstOff: r.offset, Size: wordBytes, Value: poison}})
		})
	}
	return nil
}

// lose reports a device lost when its time has come.
func (f fault) lose(s *Session) error {
	if f.lost < 0 || f.lost >= len(s.team) || s.samples < lostAtSample {
		return nil
	}
	return fmt.Errorf("%s: %w", s.label(f.lost), &vk.CallError{Call: "vkQueueSubmit2", Device: s.team[f.lost].Info().Name, Result: vk.DeviceLost})
}
