package cmd

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/amgpu/amgpu/report/result"
)

// legend explains the words of the matrix.
var legend = []struct{ word, text string }{
	{"NV", "NV#   # NVLinks"},
	{"INT", "INT   two GPUs of one board"},
	{"PIX", "PIX   at most one PCIe switch"},
	{"PXB", "PXB   several PCIe switches, no host bridge"},
	{"PHB", "PHB   a PCIe host bridge, that is the CPU"},
	{"NODE", "NODE  several host bridges of one NUMA node"},
	{"SYS", "SYS   the interconnect between NUMA nodes"},
	{"CPU", "CPU   both are this machine's CPU"},
	{linkNet, "NET   from node to node, by MPI"},
	{linkNode, "RANK  between ranks of one node, by MPI"},
}

// printTopology prints matrices as `nvidia-smi topo -m` does: how the devices are
// wired, and what was measured.
func (doc devicesJSON) printTopology(out io.Writer, asJSON bool, s streams) error {
	if asJSON {
		return printJSON(s, doc)
	}
	var b strings.Builder
	if len(doc.usable()) == 0 {
		b.WriteString("no usable device, so there are no links\n")
	} else {
		doc.wires(&b)
	}
	doc.matrix(&b, "bandwidth one way, GB/s, and transport", func(l result.Link) string {
		switch {
		case !l.Verified:
			return "none"
		case l.Bandwidth == nil:
			return "? " + l.Transport
		case l.Slow:
			return fmt.Sprintf("%.2f %s!", *l.Bandwidth/1e9, l.Transport)
		}
		return fmt.Sprintf("%.2f %s", *l.Bandwidth/1e9, l.Transport)
	})
	doc.matrix(&b, "bandwidth both ways at once, GB/s in sum", func(l result.Link) string {
		if l.BothWays == nil {
			return ""
		}
		return fmt.Sprintf("%.2f", *l.BothWays/1e9)
	})
	doc.matrix(&b, "latency of 4 bytes, us", func(l result.Link) string {
		if l.Latency == nil {
			return ""
		}
		return fmt.Sprintf("%.1f", *l.Latency*1e6)
	})
	doc.remarks(&b)
	for _, p := range doc.Problems {
		fmt.Fprintf(&b, "\nproblem: %s: %s\n  to do: %s\n", p.Subject, p.Text, p.Fix)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// usable are the devices between which links were looked for.
func (doc devicesJSON) usable() []deviceJSON {
	var out []deviceJSON
	for _, d := range doc.Devices {
		if d.Status == "usable" {
			out = append(out, d)
		}
	}
	return out
}

// link finds the one from a to b.
func (doc devicesJSON) link(a, b int) *result.Link {
	for i, l := range doc.Links {
		if l.From == a && l.To == b {
			return &doc.Links[i]
		}
	}
	return nil
}

// wires prints the matrix of connections with what is known of each device.
func (doc devicesJSON) wires(b *strings.Builder) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	devices := doc.usable()
	row := func(cells ...string) { _, _ = fmt.Fprintln(t, strings.Join(cells, "\t")) } // a Builder does not fail
	head := []string{""}
	for _, d := range devices {
		head = append(head, gpu(d.Index))
	}
	head = append(head, "NUMA", "SOCKET", "PCIE", "PCI", "NAME")
	if doc.Job != nil {
		head = append(head, "NODE")
	}
	row(head...)
	for _, d := range devices {
		line := []string{gpu(d.Index)}
		for _, e := range devices {
			line = append(line, doc.wire(d, e))
		}
		line = append(line, node(d.NUMA), socket(d), slot(d), dash(d.PCI), d.Name)
		if doc.Job != nil {
			line = append(line, d.whereabouts())
		}
		row(line...)
	}
	_ = t.Flush()
	var words []string
	for _, d := range devices {
		for _, e := range devices {
			words = append(words, doc.wire(d, e))
		}
	}
	all := " " + strings.Join(words, " ")
	b.WriteString("\n")
	for _, l := range legend {
		if strings.Contains(all, " "+l.word) {
			b.WriteString("  " + l.text + "\n")
		}
	}
}

// wire is one cell of the matrix.
func (doc devicesJSON) wire(d, e deviceJSON) string {
	l := doc.link(d.Index, e.Index)
	switch {
	case d.Index == e.Index:
		return "X"
	case d.Software && e.Software && d.Node == e.Node:
		return "CPU"
	case l == nil || l.Kind == "":
		return "-"
	}
	return l.Kind
}

// matrix prints one measured quantity; nothing where no link has it.
func (doc devicesJSON) matrix(b *strings.Builder, title string, cell func(result.Link) string) {
	devices := doc.usable()
	some := false
	var text strings.Builder
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	head := []string{"from \\ to"}
	for _, d := range devices {
		head = append(head, gpu(d.Index))
	}
	_, _ = fmt.Fprintln(t, strings.Join(head, "\t"))
	for _, d := range devices {
		line := []string{gpu(d.Index)}
		for _, e := range devices {
			value := "-"
			if l := doc.link(d.Index, e.Index); l != nil {
				value = dash(cell(*l))
			}
			some = some || value != "-"
			line = append(line, value)
		}
		_, _ = fmt.Fprintln(t, strings.Join(line, "\t"))
	}
	_ = t.Flush()
	if some {
		fmt.Fprintf(b, "\n%s\n%s", title, text.String())
	}
}

func gpu(index int) string { return fmt.Sprintf("GPU%d", index) }

func socket(d deviceJSON) string {
	if d.Socket == nil {
		return "-"
	}
	return fmt.Sprint(*d.Socket)
}

// slot is a device's PCIe link and, where it differs, what it could be.
func slot(d deviceJSON) string {
	if d.PCIe == nil {
		return "-"
	}
	text := fmt.Sprintf("gen%d x%d", d.PCIe.Generation, d.PCIe.Width)
	m := d.MaxPCIe
	if m == nil {
		return text
	}
	var most []string
	if m.Generation != d.PCIe.Generation {
		most = append(most, fmt.Sprintf("gen%d", m.Generation))
	}
	if m.Width != d.PCIe.Width {
		most = append(most, fmt.Sprintf("x%d", m.Width))
	}
	if most != nil {
		text += " (max " + strings.Join(most, " ") + ")"
	}
	return text
}
