package vk

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// faultEnv makes Vulkan calls fail on purpose, so that everything that follows a
// failure can be tested: AMGPU_FAULT=vulkan:call=vkQueueSubmit2,nth=7,device=1.
const faultEnv = "AMGPU_FAULT"

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
		return nil, fmt.Errorf("%s: %w", faultEnv, err)
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
				err = fmt.Errorf("%q is no Vulkan call that can fail", value)
			}
		case "nth":
			f.Nth, err = strconv.ParseUint(value, 10, 63)
		case "times":
			f.Times, err = strconv.ParseUint(value, 10, 63)
		case "site":
			f.Site, err = strconv.ParseUint(value, 16, 64)
		case "device":
			f.device, err = strconv.Atoi(value)
		case "result":
			f.Result, err = parseResult(value)
		case "log":
			f.Log = value
		default:
			err = fmt.Errorf("unknown key %q", key)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pair, err)
		}
	}
	return f, nil
}

func parseResult(text string) (int32, error) {
	for r, name := range resultNames {
		if name == text {
			return int32(r), nil
		}
	}
	n, err := strconv.ParseInt(text, 10, 32)
	return int32(n), err
}

// choose restricts the fault to the device it names.
func (f *injection) choose(adapters []*Adapter) {
	if f != nil && f.device >= 0 && f.device < len(adapters) {
		raw.FaultDevice(adapters[f.device].physical)
	}
}

// reportFault writes the log of an instance that cannot be closed.
func reportFault() error {
	if !raw.ReportFault() {
		return fmt.Errorf("%s: the log cannot be written", faultEnv)
	}
	return nil
}
