package cmd

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/amgpu/amgpu/vk"
)

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
