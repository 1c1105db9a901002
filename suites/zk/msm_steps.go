package zk

import (
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// Invocations of a work-group: of kernels that add points, of the others.
const curveGroup, digitGroup = 64, 256

func (msm) Build(b suites.Build) (*program.Program, error) {
	m, err := msmOf(b)
	if err != nil {
		return nil, err
	}
	p := &program.Program{
		Units: m.n, Shares: m.shares, Arrays: m.arrays(), Work: float64(m.n), Bytes: 96 * float64(m.n),
		Kernels: m.kernels(),
		Setup:   []program.Step{m.makePoints()},
		Steps: append([]program.Step{
			m.scan("clear"), m.digits("count"), m.scan("scan"), m.digits("place"), m.accumulate(), m.join(), m.reduce(),
		}, m.sums()...),
	}
	if m.byWindows {
		p.Units = m.windows
	}
	for d := range m.shares {
		points, windows := m.of(d)
		p.Flops += mulOps * float64(windows) * (mixedMuls*float64(points) + 2*fullMuls*float64(int64(1)<<m.log))
	}
	if m.byWindows {
		p.Steps = append(p.Steps, program.AllGather{Arrays: []string{"sums"}})
	} else { // every device fills slots of its own, the others are zero
		p.Steps = append(p.Steps, program.AllReduce{Array: "own", Into: "sums", Op: program.Sum})
	}
	p.Steps = append(p.Steps, program.Host{Label: "windows", In: []string{"sums"}, Out: []string{"result"}, Do: func(in, out [][]uint32) error {
		copy(out[0], m.finish(in[0]))
		return nil
	}})
	return p, nil
}

// groupsOf is how many work-groups of zk/msm_sum a window of that many parts takes.
func groupsOf(parts int64) int64 { return (parts + digitGroup - 1) / digitGroup }

func bound(name string, access program.Access) program.Binding {
	return program.Binding{Array: name, Access: access, Window: program.Whole}
}

// overPoints launches a kernel once for each point of a device. Push words: the first unit of
// the share, points a unit, points of the device, and more.
func (m sumOf) overPoints(kernel string, group int64, more func(device int) []uint32, bind ...program.Binding) program.Dispatch {
	d := program.Dispatch{Label: kernel, Kernel: kernel, Bind: bind}
	for device, s := range m.shares {
		points, _ := m.of(device)
		push := append([]uint32{uint32(s.Lo), 1, uint32(points)}, more(device)...)
		l := program.Launch{Units: points, Div: group, Push: push}
		if m.byWindows {
			push[1] = uint32(points)
			l = program.Launch{Units: 1, Across: (points + group - 1) / group, Push: push}
		}
		d.On = append(d.On, l)
	}
	return d
}

// overWindows launches a kernel in as many work-groups as the windows of a device take. Push
// words: the windows of the device, and more.
func (m sumOf) overWindows(kernel string, groups func(points, windows int64) int64, more []uint32, bind ...program.Binding) program.Dispatch {
	d := program.Dispatch{Label: kernel, Kernel: kernel, Bind: bind}
	for device := range m.shares {
		l := program.Launch{}
		if points, windows := m.of(device); points > 0 && windows > 0 {
			l = program.Launch{Units: 1, Across: groups(points, windows), Push: append([]uint32{uint32(windows)}, more...)}
		}
		d.On = append(d.On, l)
	}
	return d
}

func (m sumOf) makePoints() program.Dispatch {
	return m.overPoints("multiples", curveGroup, func(int) []uint32 { return nil },
		bound("table", program.Read), bound("multiples", program.Read), bound("points", program.Write))
}

func (m sumOf) digits(kernel string) program.Dispatch {
	first := func(device int) []uint32 {
		_, windows := m.of(device)
		window := uint32(0)
		if m.byWindows {
			window = uint32(m.shares[device].Lo)
		}
		return []uint32{window, uint32(windows), uint32(m.windows), uint32(m.log)}
	}
	return m.overPoints(kernel, digitGroup, first,
		bound("scalars", program.Read), bound("ends", program.ReadWrite), bound("sorted", program.Write))
}

func (m sumOf) scan(kernel string) program.Dispatch {
	return m.overWindows(kernel, func(_, windows int64) int64 { return windows }, []uint32{uint32(m.log)}, bound("ends", program.ReadWrite))
}

// accumulate is divided like the team: by points into places of all windows, or by windows.
func (m sumOf) accumulate() program.Dispatch {
	places := m.chunk * curveGroup
	d := program.Dispatch{Label: "accumulate", Kernel: "accumulate", Bind: []program.Binding{
		bound("ends", program.Read), bound("sorted", program.Read), bound("points", program.Read),
		bound("buckets", program.Write), bound("heads", program.Write),
	}}
	for device, s := range m.shares {
		points, windows := m.of(device)
		push := []uint32{uint32(s.Lo), uint32(points), uint32(windows), uint32(m.log), uint32(m.chunks(points)), 0}
		l := program.Launch{Units: points, Div: places, Across: windows, Push: push}
		if m.byWindows {
			push[5] = 1
			l = program.Launch{Units: windows, Across: (points + places - 1) / places, Push: push}
		}
		d.On = append(d.On, l)
	}
	if !m.byWindows {
		d.Align = places
	}
	return d
}

func (m sumOf) join() program.Dispatch {
	groups := func(points, windows int64) int64 { return (windows*m.chunks(points) + curveGroup - 1) / curveGroup }
	d := m.overWindows("join", groups, nil, bound("ends", program.Read), bound("buckets", program.ReadWrite), bound("heads", program.Read))
	for device := range d.On {
		if l := &d.On[device]; l.Units > 0 {
			points, _ := m.of(device)
			l.Push = append(l.Push, uint32(m.log), uint32(m.chunks(points)))
		}
	}
	return d
}

func (m sumOf) reduce() program.Dispatch {
	groups := func(_, windows int64) int64 { return (windows*m.parts() + curveGroup - 1) / curveGroup }
	return m.overWindows("reduce", groups, []uint32{uint32(m.log), uint32(m.segment())},
		bound("ends", program.Read), bound("buckets", program.Read), bound("parts", program.ReadWrite))
}

// sums adds up the parts of every window, 256 at a time.
func (m sumOf) sums() (list []program.Step) {
	from, n := "parts", m.parts()
	for {
		to := "few"
		if n <= digitGroup {
			to = "own"
			if m.byWindows {
				to = "sums"
			}
		}
		d := m.overWindows("sum", func(_, windows int64) int64 { return windows * groupsOf(n) }, []uint32{uint32(n)},
			bound(from, program.Read), bound(to, program.Write))
		for device := range d.On {
			at := int64(0)
			if to != "few" {
				at = m.slot(device)
			}
			d.On[device].Push = append(d.On[device].Push, uint32(at))
		}
		list = append(list, d)
		if n <= digitGroup {
			return list
		}
		from, n = to, groupsOf(n)
	}
}

// finish adds up the sums of windows, the highest first, doubling in between, and returns the
// affine result in words.
func (m sumOf) finish(sums []uint32) []uint32 {
	var total jacobian
	for w := m.windows - 1; w >= 0; w-- {
		for range m.first(w+1) - m.first(w) {
			total = total.double()
		}
		for slot := w; slot < m.slots(); slot += m.windows {
			total = total.add(toJacobian(sums[slot*pointWords:]))
		}
	}
	x, y := total.affine()
	return append(x.words(), y.words()...)
}
