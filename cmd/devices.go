package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/diagnose"
)

// deviceJSON is one device of `devices --json`.
type deviceJSON struct {
	result.Device
	Status      string       `json:"status"` // usable, cpu, duplicate, failed, hidden
	Error       string       `json:"error,omitempty"`
	DuplicateOf *int         `json:"duplicate_of,omitempty"`
	DriverUUID  string       `json:"driver_uuid"`
	DriverInfo  string       `json:"driver_info,omitempty"`
	Heaps       []heapJSON   `json:"heaps"`
	Queues      []queueJSON  `json:"queues"`
	Limits      limitsJSON   `json:"limits"`
	Matrices    []matrixJSON `json:"matrices"` // that kernels can multiply
	Score       scoreJSON    `json:"scores"`
	placeJSON
}

type heapJSON struct {
	Size        uint64  `json:"size"` // bytes, as all below
	DeviceLocal bool    `json:"device_local"`
	Budget      *uint64 `json:"budget"` // null: the driver does not say
	Usage       *uint64 `json:"usage"`
}

type queueJSON struct {
	Family        int  `json:"family"`
	Count         int  `json:"count"`
	Compute       bool `json:"compute"`
	Graphics      bool `json:"graphics"`
	Transfer      bool `json:"transfer"`
	Sparse        bool `json:"sparse"`
	TimestampBits int  `json:"timestamp_bits"`
}

// matrixJSON is a product of M x K by K x N that a scope of invocations makes together. With
// flexible, sizes may be any multiples of these.
type matrixJSON struct {
	M           int    `json:"m"`
	N           int    `json:"n"`
	K           int    `json:"k"`
	A           string `json:"a"`
	B           string `json:"b"`
	C           string `json:"c"`
	Result      string `json:"result"`
	Saturating  bool   `json:"saturating,omitempty"`
	Scope       string `json:"scope"`
	Flexible    bool   `json:"flexible,omitempty"`
	Invocations int    `json:"invocations,omitempty"`
}

type limitsJSON struct {
	MaxStorageBufferRange uint64    `json:"max_storage_buffer_range"`
	MaxAllocation         uint64    `json:"max_allocation"`
	MaxBufferSize         uint64    `json:"max_buffer_size"`
	SharedMemory          uint32    `json:"shared_memory"`
	Invocations           uint32    `json:"invocations"`
	MinSubgroup           uint32    `json:"min_subgroup"`
	MaxSubgroup           uint32    `json:"max_subgroup"`
	GroupCount            [3]uint32 `json:"group_count"`
	GroupSize             [3]uint32 `json:"group_size"`
	PushConstants         uint32    `json:"push_constants"`
	TimestampPeriod       float64   `json:"timestamp_period"` // nanoseconds a tick
	ImportAlign           uint64    `json:"import_align"`     // of imported host memory; 0: not possible
}

// devicesJSON is the document of `devices --json`.
type devicesJSON struct {
	Devices  []deviceJSON       `json:"devices"`
	Links    []result.Link      `json:"links"`
	Problems []diagnose.Problem `json:"problems"`
	Loader   string             `json:"loader"`
	// Selection is what the rules of the origins choose; amgpu itself measures.
	Selection selectionJSON `json:"selection"`
	// Job is the ranks and nodes of an MPI job; nil: one process looked.
	Job *result.Job `json:"job,omitempty"`
}

func devicesCommand(s streams) *cobra.Command {
	var pool poolFlags
	var asJSON, topology, watch bool
	c := &cobra.Command{
		Use:   "devices",
		Short: "List what can be used here, what cannot, and why",
		Example: `  amgpu devices
  amgpu devices --json
  amgpu devices --topology
  amgpu devices --watch
  amgpu devices --software 2`,
		Args: noSuch,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := pool.check(); err != nil {
				return err
			}
			if inJob() && watch {
				return usage("devices --watch shows the sensors of one machine: start it there without mpirun or srun, or list the job without --watch")
			}
			if inJob() {
				return listJob(c.Context(), s, pool, asJSON, topology)
			}
			if watch {
				return watchDevices(c.Context(), s, pool, asJSON)
			}
			return listDevices(c.Context(), s, pool, asJSON, topology)
		},
	}
	pool.add(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&topology, "topology", false, "print how the devices are connected: a matrix of links, their bandwidth and latency")
	c.Flags().BoolVar(&watch, "watch", false, "print what the devices' sensors say, each second until Ctrl-C")
	return c
}

// listDevices prints what there is; it fails only when nothing can be used.
func listDevices(ctx context.Context, s streams, pool poolFlags, asJSON, topology bool) error {
	doc := devicesJSON{Devices: []deviceJSON{}, Links: []result.Link{}, Problems: []diagnose.Problem{}, Selection: selected(nil)}
	r, openErr := pool.openRig()
	var selectErr error
	if openErr == nil {
		selectErr = doc.add(ctx, r, pool)
	} else if codeFor(openErr) == codeUsage {
		return openErr
	}
	doc.Problems = append(doc.Problems, problems(doc.Devices, openErr, pool.software != "")...)
	printed := doc.print
	if topology {
		printed = doc.printTopology
	}
	if err := printed(s.Out, asJSON, s); err != nil {
		return errors.Join(err, r.closeIfOpen())
	}
	if openErr == nil {
		for _, w := range unmetFault(r, nil) {
			s.say("amgpu: %s", w.Text)
		}
	}
	if err := r.closeIfOpen(); err != nil {
		return err
	}
	return errors.Join(openErr, selectErr)
}

// add lists all devices of the rig and the links between those of the pool. The
// error says why the pool is empty.
func (doc *devicesJSON) add(ctx context.Context, r *rig, pool poolFlags) error {
	chosen, _, err := r.pool(pool)
	doc.Loader = r.instance.LoaderVersion()
	usable := map[int]bool{}
	for _, a := range chosen {
		usable[a.Info().Index] = true
	}
	sensors := openSensors(r.adapters)
	defer sensors.Close()
	for i, a := range r.adapters {
		d := describeDevice(a, r.entries[i], usable[r.entries[i].Index])
		d.placeJSON = placeOf(sensors, i)
		d.Score = scoreOf(a, d.Error == "", loadOf(sensors.Devices[i]))
		doc.Devices = append(doc.Devices, d)
	}
	doc.Selection = selected(doc.Devices)
	if len(chosen) > 1 {
		links, err := surveyLinks(ctx, chosen)
		if err != nil {
			doc.Problems = append(doc.Problems, diagnose.Problem{Code: "links", Subject: "links", Text: err.Error(), Fix: "measure with --transport staging"})
		}
		doc.Links = append(doc.Links, links...)
	}
	return err
}

func (r *rig) closeIfOpen() error {
	if r == nil {
		return nil
	}
	return r.close()
}

// problems joins what failed in Vulkan with what the system's files say.
func problems(devices []deviceJSON, openErr error, software bool) []diagnose.Problem {
	var out []diagnose.Problem
	if openErr != nil {
		fix := "look at the driver files named below, and at those in VK_DRIVER_FILES and VK_ICD_FILENAMES if they are set"
		switch {
		case software && !is(openErr, vk.ErrNoLoader):
			fix = "make what this message names usable, then try again"
		case errors.Is(openErr, vk.ErrNoLoader) && os.Getenv("AMGPU_VULKAN_LIBRARY") != "":
			fix = "unset AMGPU_VULKAN_LIBRARY, or let it name a Vulkan loader"
		case errors.Is(openErr, vk.ErrNoLoader):
			fix = "install the Vulkan loader (`apt-get install libvulkan1`)"
		case errors.Is(openErr, vk.ErrNoDriver) && os.Getenv("VK_DRIVER_FILES")+os.Getenv("VK_ICD_FILENAMES") != "":
			fix = "correct or unset VK_DRIVER_FILES and VK_ICD_FILENAMES: only the drivers named there are looked for"
		case errors.Is(openErr, vk.ErrNoDriver):
			fix = "install a Vulkan driver; `apt-get install mesa-vulkan-drivers` brings those for AMD, Intel and the CPU"
		}
		out = append(out, diagnose.Problem{Code: "vulkan", Subject: "Vulkan", Text: openErr.Error(), Fix: fix})
	}
	var shown []string
	for _, d := range devices {
		if d.PCI != "" {
			shown = append(shown, d.PCI)
		}
		if d.Error != "" {
			out = append(out, diagnose.Problem{Code: "device", Subject: fmt.Sprintf("device %d %s", d.Index, d.Name), Text: d.Error,
				Fix: "update its driver, or leave it out with --exclude"})
		}
	}
	if software { // the loader was told to look at nothing else
		return out
	}
	return append(out, diagnose.System{}.Check(shown)...)
}

func describeDevice(a *vk.Adapter, e entry, usable bool) deviceJSON {
	i := a.Info()
	l := i.Limits
	d := deviceJSON{
		Device: e.Device, Status: "usable", DriverUUID: fmt.Sprintf("%x", i.DriverUUID), DriverInfo: i.DriverInfo,
		Heaps: []heapJSON{}, Queues: []queueJSON{}, Matrices: []matrixJSON{},
		Limits: limitsJSON{l.MaxStorageBufferRange, l.MaxAllocation, l.MaxBufferSize, l.SharedMemory, l.Invocations,
			l.MinSubgroup, l.MaxSubgroup, l.GroupCount, l.GroupSize, l.PushConstants, l.TimestampPeriod, l.ImportAlign},
	}
	switch {
	case e.err != nil:
		d.Status, d.Error = "failed", e.err.Error()
	case e.duplicateOf >= 0:
		d.Status, d.DuplicateOf = "duplicate", &e.duplicateOf
	case usable:
	case e.Software:
		d.Status = "cpu"
	default:
		d.Status = "not chosen"
	}
	for _, h := range i.Heaps {
		heap := heapJSON{Size: h.Size, DeviceLocal: h.DeviceLocal}
		if h.BudgetKnown {
			heap.Budget, heap.Usage = &h.Budget, &h.Usage
		}
		d.Heaps = append(d.Heaps, heap)
	}
	for _, m := range i.Matrices {
		d.Matrices = append(d.Matrices, matrixJSON(m))
	}
	for _, q := range i.Queues {
		d.Queues = append(d.Queues, queueJSON{q.Index, q.Count, q.Compute, q.Graphics, q.Transfer, q.Sparse, q.TimestampBits})
	}
	return d
}

func (doc devicesJSON) print(out io.Writer, asJSON bool, s streams) error {
	if asJSON {
		return printJSON(s, doc)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(doc.Devices) > 0 {
		_, _ = fmt.Fprintln(t, "INDEX\tNAME\tTYPE\tDRIVER\tVULKAN\tPCI\tNUMA\tUUID\tSTATUS") // errors show at Flush
	}
	for _, d := range doc.Devices {
		status := d.Status
		if d.DuplicateOf != nil {
			status = fmt.Sprintf("duplicate of %d", *d.DuplicateOf)
		}
		_, _ = fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", d.Index, d.Name, d.Type, d.Driver, d.API,
			dash(d.PCI), node(d.NUMA), d.UUID, status)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if doc.Job != nil {
		if _, err := fmt.Fprintf(out, "\njob: %s, %s\n", plural(len(doc.Job.Nodes), "node", "nodes"), doc.Job.Library); err != nil {
			return err
		}
	}
	for _, d := range doc.Devices {
		if err := d.details(out); err != nil {
			return err
		}
	}
	for i, l := range doc.Links {
		if i == 0 {
			if _, err := fmt.Fprintln(out); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(out, "link %d -> %d  %s  %s\n", l.From, l.To, l.Transport, linkText(l)); err != nil {
			return err
		}
	}
	for _, p := range doc.Problems {
		if _, err := fmt.Fprintf(out, "\nproblem: %s: %s\n  to do: %s\n", p.Subject, p.Text, p.Fix); err != nil {
			return err
		}
	}
	return nil
}

// details prints what decides how large and how fast a device's work can be.
func (d deviceJSON) details(out io.Writer) error {
	if d.Status == "failed" {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\ndevice %d %s%s\n", d.Index, d.Name, prefixed(" on ", d.whereabouts()))
	for i, h := range d.Heaps {
		kind := "host"
		if h.DeviceLocal {
			kind = "device"
		}
		fmt.Fprintf(&b, "  heap %d     %s, %s", i, gib(h.Size), kind)
		if h.Budget != nil {
			fmt.Fprintf(&b, ", budget %s", gib(*h.Budget))
		}
		b.WriteString("\n")
	}
	for _, q := range d.Queues {
		var can []string
		for _, c := range []struct {
			name string
			has  bool
		}{{"compute", q.Compute}, {"graphics", q.Graphics}, {"transfer", q.Transfer}, {"sparse", q.Sparse}} {
			if c.has {
				can = append(can, c.name)
			}
		}
		fmt.Fprintf(&b, "  queues %d   %d x %s, timestamps of %d bits\n", q.Family, q.Count, strings.Join(can, "+"), q.TimestampBits)
	}
	fmt.Fprintf(&b, "  limits     binding %s, allocation %s, shared memory %d B, work-group %d, subgroup %d to %d\n",
		gib(d.Limits.MaxStorageBufferRange), gib(d.Limits.MaxAllocation), d.Limits.SharedMemory, d.Limits.Invocations, d.Limits.MinSubgroup, d.Limits.MaxSubgroup)
	if d.Sensors != "" {
		fmt.Fprintf(&b, "  sensors    %s\n", d.Sensors)
	}
	if d.PCIe != nil {
		fmt.Fprintf(&b, "  pcie       %s\n", slot(d))
	}
	fmt.Fprintf(&b, "  features   %s\n", strings.Join(d.Features, " "))
	for i, m := range d.Matrices {
		title := "matrices"
		if i > 0 {
			title = ""
		}
		fmt.Fprintf(&b, "  %-8s   %s\n", title, vk.Matrix(m))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func node(n int) string {
	if n < 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// gib prints bytes in a unit that fits.
func gib(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d B", n)
}
