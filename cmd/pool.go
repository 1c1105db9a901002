package cmd

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/diagnose"
	"github.com/amgpu/amgpu/vk/soft"
)

// poolFlags choose devices.
type poolFlags struct {
	devices, exclude []string
	max              int
	software         string
	allowCPU         bool
}

func (p *poolFlags) add(f *pflag.FlagSet) {
	f.StringSliceVar(&p.devices, "device", nil, "use only `SEL`: index, UUID prefix, PCI address or name glob (repeatable)")
	f.StringSliceVar(&p.exclude, "exclude", nil, "leave `SEL` out (repeatable)")
	f.IntVar(&p.max, "max-devices", 0, "use at most `N` devices; 0: all")
	f.StringVar(&p.software, "software", "", "make `N` software devices (or 1+swiftshader) and use only those")
	f.BoolVar(&p.allowCPU, "allow-cpu", false, "admit CPU drivers, which are never used silently")
}

func (p *poolFlags) check() error {
	if p.max < 0 {
		return usage("--max-devices %d: use a number above 0, or 0 for all", p.max)
	}
	if p.software != "" {
		if _, err := soft.Parse(p.software); err != nil {
			return usage("--software: %w", err)
		}
	}
	return nil
}

// rig is an open Vulkan instance with all devices it shows.
type rig struct {
	instance *vk.Instance
	adapters []*vk.Adapter
	entries  []entry // same order
	granted  []entry // those of them that this process may use; nil: all
	release  func()  // removes the software devices' files
}

// openRig starts Vulkan, after making software devices if asked for.
func (p *poolFlags) openRig() (*rig, error) {
	if err := engine.CheckFault(); err != nil {
		return nil, usage("%w", err)
	}
	if v := os.Getenv("AMGPU_VALIDATION"); v != "" && v != "0" && v != "1" {
		return nil, usage("AMGPU_VALIDATION=%s: use 1, which turns the Vulkan validation layer on, or unset it", v)
	}
	if err := spareMesaCache(os.Getenv, freeBytes); err != nil {
		return nil, err
	}
	r := &rig{release: func() {}}
	if p.software != "" {
		spec, err := soft.Parse(p.software)
		if err != nil {
			return nil, usage("--software: %w", err)
		}
		cleanup, err := soft.Prepare(spec)
		if err != nil {
			failed := &exitError{code: codeOther, err: fmt.Errorf("--software %s: %w", p.software, err), hint: "set TMPDIR to a folder that can be written"}
			if is(err, syscall.EMFILE, syscall.ENFILE) {
				failed.hint = "let the process open more files: ulimit -n"
			}
			if is(err, soft.ErrNoLavapipe, soft.ErrNoSwiftShader) {
				failed.code, failed.hint = codeNoGPU, "`amgpu devices` explains what was found"
			}
			return nil, failed
		}
		r.release = cleanup
	}
	in, err := vk.Open(vk.Options{})
	if err != nil {
		r.release()
		if why := badManifests(p.software != ""); why != "" && !is(err, vk.ErrNoLoader, vk.ErrFault) {
			return nil, &exitError{code: codeNoGPU, err: fmt.Errorf("%w; %s", err, why), hint: "correct or remove that file, or `--software 2` makes two software devices (needs Mesa lavapipe)"}
		}
		if !is(err, vk.ErrNoLoader, vk.ErrNoDriver, vk.ErrFault) {
			err = &exitError{code: codeFor(err), err: err, hint: "`amgpu devices` looks at the driver files for the cause"}
		}
		return nil, err
	}
	r.instance, r.adapters = in, in.Adapters()
	for _, a := range r.adapters {
		r.entries = append(r.entries, newEntry(a))
	}
	return r, nil
}

// badManifests names the driver manifests that the loader cannot use, of which it tells only
// that it has no memory; empty: there is none, or software devices, whose manifests are ours.
func badManifests(software bool) string {
	if software {
		return ""
	}
	var out []string
	for _, p := range (diagnose.System{}).Check(nil) {
		if p.Code == "manifest" {
			out = append(out, p.Subject+": "+p.Text)
		}
	}
	return strings.Join(out, "; ")
}

func (r *rig) close() error {
	err := r.instance.Close()
	r.release()
	return err
}

// pool applies the selection. The adapters and devices returned belong
// together; a device's Index there is its position in the pool, because that is
// how results refer to devices.
func (r *rig) pool(p poolFlags) ([]*vk.Adapter, []result.Device, error) {
	entries := r.entries
	if r.granted != nil {
		entries = r.granted
	}
	picked, err := selection{
		visible: list(os.Getenv("AMGPU_VISIBLE_DEVICES")), devices: p.devices, exclude: p.exclude,
		max: p.max, allowCPU: p.allowCPU || p.software != "",
	}.pick(entries)
	if err != nil {
		return nil, nil, err
	}
	var adapters []*vk.Adapter
	var devices []result.Device
	for i, e := range picked {
		adapters = append(adapters, r.adapters[e.Index])
		d := e.Device
		d.Index = i
		devices = append(devices, d)
	}
	return adapters, devices, nil
}

// explain adds to an error about the pool which devices cannot be used, and why.
func (r *rig) explain(err error) error {
	var out []string
	for _, e := range r.entries {
		if e.err != nil && e.duplicateOf < 0 {
			out = append(out, fmt.Sprintf("device %d %s cannot be used: %v", e.Index, e.Name, e.err))
		}
	}
	if len(out) == 0 {
		return err
	}
	return usage("%w; %s", err, strings.Join(out, "; "))
}

// newEntry describes an adapter in the words of a result.
func newEntry(a *vk.Adapter) entry {
	i := a.Info()
	d := result.Device{
		Index: i.Index, Name: i.Name, UUID: i.UUIDString(), PCI: i.PCI, Type: i.Type,
		Driver: driverText(i), API: i.APIVersion, VendorID: i.VendorID, DeviceID: i.DeviceID,
		NUMA: i.NUMA, Software: i.Software(), Subgroup: int(i.Limits.SubgroupSize), Features: i.Features.Names(),
	}
	if c, ok := i.Capability(); ok {
		d.Cache, d.Peak = c.Cache, &result.Peak{BytesPerSecond: c.BytesPerSecond, Flops: c.Flops}
	}
	for _, h := range i.Heaps {
		if h.DeviceLocal {
			d.Memory = max(d.Memory, int64(h.Size))
		}
	}
	if q := slices.IndexFunc(i.Queues, func(q vk.QueueFamily) bool { return q.Compute }); q >= 0 {
		d.Timestamps = i.Queues[q].TimestampBits > 0 && i.Limits.TimestampPeriod > 0
		d.Queue = queueText(i.Queues[q])
	}
	e := entry{Device: d, duplicateOf: i.DuplicateOf, err: a.Err()}
	if e.err == nil && d.Queue == "" {
		e.err = errors.New("it has no compute queue")
	}
	return e
}

// driverText names a driver with the version its makers use.
func driverText(i *vk.Info) string {
	version := i.DriverInfo
	if version == "" {
		version = i.DriverVersion
	}
	return strings.TrimSpace(i.DriverName + " " + version)
}

func queueText(q vk.QueueFamily) string {
	text := fmt.Sprintf("family %d: compute", q.Index)
	if q.Graphics {
		text += ", graphics"
	}
	if q.Transfer {
		text += ", transfer"
	}
	return text
}

// busy warns about GPUs whose memory other programs already hold.
func busy(adapters []*vk.Adapter) []result.Warning {
	var out []result.Warning
	for i, a := range adapters {
		for _, h := range a.Info().Heaps {
			if !h.DeviceLocal || !h.BudgetKnown || a.Info().Software() || h.Size == 0 {
				continue
			}
			if free := float64(h.Budget) / float64(h.Size); free < 0.75 {
				out = append(out, result.Warning{Code: "busy", Text: fmt.Sprintf(
					"device %d %s: only %.0f %% of its memory is available; another program seems to use it", i, a.Info().Name, 100*free)})
			}
		}
	}
	return out
}
