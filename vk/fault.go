package vk

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/internal/near"
	"github.com/amgpu/amgpu/vk/internal/raw"
)

// faultEnv makes Vulkan calls fail on purpose, so that everything that follows a
// failure can be tested: AMGPU_FAULT=vulkan:call=vkQueueSubmit2,nth=7,device=1.
const faultEnv = "AMGPU_FAULT"

// ErrFault: AMGPU_FAULT=vulkan:.. asks for what does not exist.
var ErrFault = errors.New(faultEnv)

// faultKeys are what may stand before a = there.
var faultKeys = []string{"call", "nth", "times", "result", "device", "site", "log"}

// injection is what AMGPU_FAULT=vulkan:KEY=VALUE,.. asks for. Keys: call (a function
// that returns a VkResult), nth (of its calls, from 1), times (how many fail from then
// on, default 1), result (a VkResult by name or number; VK_SUCCESS leaves the call out
// and says nothing), device (by index), site (of the call, from a log) and log (a file
// for what was called where and which objects were left).
type injection struct {
	raw.Fault
	device int // -1: all
}

// armFault puts the fault layer under what is opened next if the environment asks
// for it.
func armFault() (*injection, error) {
	text, ok := strings.CutPrefix(os.Getenv(faultEnv), "vulkan:")
	if !ok {
		raw.DisarmFault()
		return nil, nil
	}
	f, err := parseInjection(text)
	if err != nil {
		return nil, fmt.Errorf("%w=vulkan:%s: %w", ErrFault, text, err)
	}
	raw.ArmFault(f.Fault)
	return f, nil
}

func parseInjection(text string) (*injection, error) {
	f := &injection{Fault: raw.Fault{Nth: 1, Times: 1, Result: int32(DeviceLost)}, device: -1}
	for pair := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(pair, "=")
		var err error
		switch key {
		case "call":
			if f.Call = value; !raw.KnownCall(value) {
				err = fmt.Errorf("%q is no Vulkan call that can fail%s", value, near.HintOrAll(value, raw.KnownCalls()))
			}
		case "nth":
			f.Nth, err = parseCount(value)
		case "times":
			f.Times, err = parseCount(value)
		case "site":
			if f.Site, err = strconv.ParseUint(value, 16, 64); err != nil {
				err = fmt.Errorf("%q: use the site of a call, hexadecimal, as a log names it", value)
			}
		case "device":
			if f.device, err = strconv.Atoi(value); err != nil || f.device < 0 {
				err = fmt.Errorf("%q: use a device by its number in `amgpu devices`, from 0", value)
			}
		case "result":
			f.Result, err = parseResult(value)
		case "log":
			f.Log, err = value, checkLogName(value)
		default:
			err = fmt.Errorf("unknown key %q%s", key, near.HintOrAll(key, faultKeys))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pair, err)
		}
	}
	if err := checkLog(f.Log); err != nil { // when all else is right: it makes the file
		return nil, fmt.Errorf("log=%s: %w", f.Log, err)
	}
	return f, nil
}

func checkLogName(path string) error {
	switch {
	case path == "":
		return errors.New("name the file to write")
	case len(path) > raw.MaxLog:
		return fmt.Errorf("the name of a log has at most %d characters", raw.MaxLog)
	}
	return nil
}

// checkLog says why a log cannot be written, before anything is measured; none is asked for
// by an empty name.
func checkLog(path string) error {
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("the log cannot be written: %w; name a file in a folder that is there", err)
	}
	return file.Close()
}

func parseCount(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q: use a whole number above 0", text)
	}
	return n, nil
}

func parseResult(text string) (int32, error) {
	for r, name := range resultNames {
		if name == text {
			return int32(r), nil
		}
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		known := slices.Sorted(maps.Values(resultNames))
		return 0, fmt.Errorf("%q: use a number or the name of a VkResult%s", text, near.HintOrAll(text, known))
	}
	return int32(n), nil
}

// choose restricts the fault to the device it names.
func (f *injection) choose(adapters []*Adapter) error {
	if f == nil || f.device < 0 {
		return nil
	}
	if f.device >= len(adapters) {
		var there []string
		for _, a := range adapters {
			there = append(there, fmt.Sprintf("%d %s", a.info.Index, a.info.Name))
		}
		return fmt.Errorf("%w=vulkan:..device=%d: there is no such device; there are: %s", ErrFault, f.device, strings.Join(there, ", "))
	}
	raw.FaultDevice(adapters[f.device].physical)
	adapters[f.device].faulted = true
	return nil
}

// Faulted reports whether AMGPU_FAULT=vulkan:..device=N names this adapter.
func (a *Adapter) Faulted() bool { return a.faulted }

// report writes the log.
func (f *injection) report() error {
	if !raw.ReportFault() && f != nil {
		return fmt.Errorf("%s: the log %s cannot be written", faultEnv, f.Log)
	}
	return nil
}

// FaultUnmet says why AMGPU_FAULT=vulkan:call=.. has made no call fail since the instance
// was opened; empty: one has failed, or none was to.
func (in *Instance) FaultUnmet() string {
	if in == nil || in.injected == nil || in.injected.Call == "" {
		return ""
	}
	f := in.injected
	seen, hits := raw.FaultMet()
	if hits > 0 {
		return ""
	}
	where := ""
	if f.Site != 0 {
		where = fmt.Sprintf(" at site %x", f.Site)
	}
	if f.device >= 0 {
		where += fmt.Sprintf(" on device %d", f.device)
	}
	if seen == 0 {
		return fmt.Sprintf("%s%s was never called", f.Call, where)
	}
	return fmt.Sprintf("%s%s was called %d times, and nth is %d", f.Call, where, seen, f.Nth)
}
