// Package vk offers what amgpu needs of Vulkan: devices, memory, kernels,
// recorded commands and schedules that drive a team of devices. It has no C
// type in its API. Objects belong to their device and are used from one
// goroutine at a time.
package vk

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// Options for Open.
type Options struct {
	// Validation turns on the Khronos validation layer with synchronization
	// validation; its messages are fetched with Instance.Messages. Never in a
	// timed run. AMGPU_VALIDATION=1 turns it on too.
	Validation bool
}

// Instance is an opened Vulkan loader with the devices it found.
type Instance struct {
	raw        *raw.Instance
	adapters   []*Adapter
	validation bool
	open       atomic.Int64 // devices not closed yet
	injected   *injection   // what fails on purpose; nil: nothing
	abandoned  atomic.Bool  // a device was left as it was: nothing below it may go
}

// Adapter is one physical device: what can be opened, or why not.
type Adapter struct {
	instance *Instance
	physical raw.Physical
	info     *Info
	err      error
	absent   bool // of another process
	faulted  bool // its calls fail on purpose
	step     tickStep
}

// Info describes the adapter; never nil.
func (a *Adapter) Info() *Info { return a.info }

// Err says why the adapter cannot be used; nil when it can.
func (a *Adapter) Err() error { return a.err }

// floor is the lowest Vulkan version amgpu works with.
const floor = 1<<22 | 3<<12

// libraryEnv overrides which Vulkan library is opened.
const libraryEnv = "AMGPU_VULKAN_LIBRARY"

// Open loads Vulkan and lists the devices. Errors wrap ErrNoLoader (with the
// dynamic linker's text) or ErrNoDriver where that is the cause.
func Open(o Options) (*Instance, error) {
	validation := o.Validation || os.Getenv("AMGPU_VALIDATION") == "1"
	injected, err := armFault()
	if err != nil {
		return nil, err
	}
	r, code, text := raw.Open(os.Getenv(libraryEnv), validation)
	switch code {
	case 0:
	case raw.NoLibrary, raw.NoSymbol:
		return nil, fmt.Errorf("%w: %s: %s", ErrNoLoader, text, loaderFix())
	case raw.NoValidation:
		return nil, fmt.Errorf("validation layer %w: install it (Debian: apt-get install vulkan-validationlayers)", ErrUnsupported)
	case int32(Incompatible):
		return nil, fmt.Errorf("%w: the loader found no usable driver file%s (vkCreateInstance: %w)", ErrNoDriver, driverFiles(), Incompatible)
	default:
		return nil, &CallError{Call: "vkCreateInstance", Result: Result(code)}
	}
	in := &Instance{raw: r, validation: validation, injected: injected}
	list, code := r.Physical()
	if code < 0 && Result(code) != initFailed {
		r.Close()
		return nil, &CallError{Call: "vkEnumeratePhysicalDevices", Result: Result(code)}
	}
	if len(list) == 0 {
		r.Close()
		return nil, fmt.Errorf("%w: the installed drivers list no device", ErrNoDriver)
	}
	for _, p := range list {
		in.adapters = append(in.adapters, newAdapter(in, p))
	}
	arrange(in.adapters, (*Adapter).Info, func(a *Adapter) bool { return a.err != nil })
	if err := injected.choose(in.adapters); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

// newAdapter reads one device; what fails is kept with its reason.
func newAdapter(in *Instance, p raw.Physical) *Adapter {
	a := &Adapter{instance: in, physical: p}
	info, err := in.raw.Info(p)
	a.info = newInfo(info)
	if err != 0 {
		a.err = &CallError{Call: "reading device properties", Result: Result(err)}
		return a
	}
	switch {
	case info.API < floor:
		a.err = fmt.Errorf("%s offers Vulkan %s and amgpu needs 1.3: update the driver", a.info.Name, a.info.APIVersion)
	case a.computeFamily() < 0:
		a.err = fmt.Errorf("%s has no compute queue", a.info.Name)
	}
	return a
}

// computeFamily is the queue family amgpu uses: the first with compute, as on
// every known driver it is the one with graphics and the fastest for copies.
func (a *Adapter) computeFamily() int {
	for _, q := range a.info.Queues {
		if q.Compute && q.Count > 0 {
			return q.Index
		}
	}
	return -1
}

// besideFamily is the family of the queue for copies beside the work of the first: one
// that only copies, else another one with compute, else the first's own. Timestamps of
// both queues must be alike. Software has one queue, whatever it lists.
func (a *Adapter) besideFamily() int {
	first := a.computeFamily()
	if a.info.Software() {
		return first
	}
	bits := a.info.timestampBits(first)
	for _, only := range []bool{true, false} {
		for _, q := range a.info.Queues {
			copies := only && q.Transfer && !q.Compute && !q.Graphics || !only && q.Compute
			if copies && q.Count > 0 && q.Index != first && q.TimestampBits == bits {
				return q.Index
			}
		}
	}
	return first
}

// timestampBits is how many bits of a timestamp of a queue family count.
func (i *Info) timestampBits(family int) int {
	for _, q := range i.Queues {
		if q.Index == family {
			return q.TimestampBits
		}
	}
	return 0
}

// Adapters lists all devices, sorted by PCI address; failing ones included.
func (in *Instance) Adapters() []*Adapter { return in.adapters }

// LoaderVersion is the Vulkan version of the loader.
func (in *Instance) LoaderVersion() string { return version(in.raw.LoaderVersion()) }

// ActiveLayers names the layers this instance and its environment turn on.
func (in *Instance) ActiveLayers() string {
	layers := os.Getenv("VK_INSTANCE_LAYERS")
	if in.validation {
		if layers != "" {
			layers += ":"
		}
		layers += "VK_LAYER_KHRONOS_validation"
	}
	return layers
}

// Message is one message of the validation layer.
type Message struct {
	Severity int // VkDebugUtilsMessageSeverityFlagBitsEXT
	ID, Text string
}

// Messages fetches the validation messages since the last call.
func (in *Instance) Messages() []Message {
	list, lost := in.raw.Messages()
	out := make([]Message, 0, len(list))
	for _, m := range list {
		out = append(out, Message(m))
	}
	if lost > 0 {
		out = append(out, Message{Text: fmt.Sprintf("%d more messages were dropped", lost)})
	}
	return out
}

// Close destroys the instance. It refuses while devices are open.
func (in *Instance) Close() error {
	if in == nil || in.raw == nil {
		return nil
	}
	if n := in.open.Load(); n > 0 {
		return fmt.Errorf("close Vulkan: %d devices are still open", n)
	}
	raw := in.raw
	in.raw = nil
	err := in.injected.report()
	if !in.abandoned.Load() {
		raw.Close()
	}
	return err
}
