package peak

import (
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// pageWords is a unit of the transfers, 4 KiB.
const pageWords = 1024

// The transfers are made by iterations from end to end: inputs come from host memory, and
// outputs go there. The kernel beside them touches the data once at most.
func init() {
	info := func(id, doc, formula, bytes string) suites.Info {
		return unitInfo(suites.Info{
			ID: id, Doc: doc, Formula: formula, Bytes: bytes, WorkUnit: "B", SizeUnit: "pages of 4 KiB",
			Sizes: suites.Sizes{S: 256, M: 1 << 16, L: 1 << 19}, Residency: "end-to-end",
		})
	}
	look := func(shares []program.Share) program.Dispatch {
		d := program.Dispatch{Label: "look", Kernel: "look", On: launches(shares, 1),
			Bind: []program.Binding{{Array: "found", Access: program.Write}, {Array: "x", Access: program.Read}}}
		for i := range d.On {
			d.On[i].Div = groupSize
		}
		return d
	}
	makeY := func(shares []program.Share) program.Dispatch {
		return program.Dispatch{Label: "make", Kernel: "make", On: launches(shares, 1), Bind: []program.Binding{{Array: "y", Access: program.Write}}}
	}
	looks, makes := program.Kernel{Name: "look", Shader: "peak/arrive"}, program.Kernel{Name: "make", Shader: "peak/depart"}
	in := func(b suites.Build) program.Array { return words32("x", program.Split, b.Size, pageWords, raw(idX)) }
	suites.Register(units{
		info: info("peak/host-to-device", "Bandwidth from host memory to a device", "f[k] = one word of page k, at a place that looks random", "4096 per page"),
		most: 1 << 32, out: "found",
		build: func(b suites.Build, p *program.Program, shares []program.Share) {
			n := float64(b.Size)
			p.Arrays = []program.Array{output("found", b.Size, 1), in(b)}
			p.Kernels, p.Steps = []program.Kernel{looks}, []program.Step{look(shares)}
			p.Work, p.Bytes = 4*pageWords*n, 4*pageWords*n
		},
		judge: arrived,
	})
	suites.Register(units{
		info: info("peak/device-to-host", "Bandwidth from a device to host memory, with the kernel that makes the data", "four words from the position of each vector of 16 bytes", "4096 per page"),
		most: 1 << 32, out: "y",
		build: func(b suites.Build, p *program.Program, shares []program.Share) {
			n := float64(b.Size)
			p.Arrays = []program.Array{output("y", b.Size, pageWords)}
			p.Kernels, p.Steps = []program.Kernel{makes}, []program.Step{makeY(shares)}
			p.Work, p.Bytes = 4*pageWords*n, 4*pageWords*n
		},
		judge: func(*suites.Check) func(int64, []uint32, *suites.Tally) { return departed },
	})
	suites.Register(duplex{units{
		info: info("peak/host-both-ways", "Bandwidth from host memory and to it at once, on two queues", "those of host-to-device and device-to-host", "8192 per page"),
		most: 1 << 32, out: "found",
		build: func(b suites.Build, p *program.Program, shares []program.Share) {
			x := in(b)
			x.Late = true
			p.Arrays = []program.Array{output("found", b.Size, 1), x, output("y", b.Size, pageWords)}
			d := makeY(shares)
			d.Independent = true
			p.Kernels, p.Steps = []program.Kernel{looks, makes}, []program.Step{look(shares), d}
			p.Work, p.Bytes = 8*pageWords*float64(b.Size), 8*pageWords*float64(b.Size)
		},
		judge: arrived,
	}})
}

// duplex has a second output, that of peak/device-to-host.
type duplex struct{ units }

// Verify looks at both.
func (w duplex) Verify(c *suites.Check) (suites.Outcome, error) {
	in, err := w.units.Verify(c)
	if err != nil || in.Wrong != "" {
		return in, err
	}
	tally, err := c.EachUnit("y", c.Program.Units, departed)
	if err != nil {
		return suites.Outcome{}, err
	}
	tally.Checked += in.Checked
	return tally.Outcome("E0", ""), nil
}

// arrived judges what was found on a page that came.
func arrived(c *suites.Check) func(int64, []uint32, *suites.Tally) {
	x := word(c, raw(idX))
	return func(u int64, got []uint32, t *suites.Tally) {
		t.Bits("found", u, got[0], x(u*pageWords+int64(uint32(u)*0x9E3779B1>>22)))
	}
}

// departed judges a page that is to go.
func departed(u int64, got []uint32, t *suites.Tally) {
	for i := range uint32(groupSize) {
		h := (uint32(u)*groupSize + i) * 0x9E3779B1
		h ^= h >> 15
		for l, f := range [4]uint32{1, 3, 5, 7} {
			at := 4*int64(i) + int64(l)
			t.Bits("y", u*pageWords+at, got[at], h*f)
		}
	}
}
