package network

import (
	"github.com/amgpu/amgpu/suites/program"
)

// ahead is which part of a share its device relaxes beside each of the two small kernels of
// the next round.
const ahead = 8

// floydWarshall lists the rounds, one for each block of nodes. A round makes the next one's
// panel as soon as its rows are relaxed: while that travels, and while two kernels of few
// work-groups make it, the other rows are relaxed.
func (m paths) floydWarshall(shares []program.Share, seed uint64) []program.Step {
	list := []program.Step{m.first(shares, seed)}
	owner := 0
	for shares[owner].Hi == 0 {
		owner++
	}
	pivot, panel := m.inner(shares, owner, 0)
	list = append(list, pivot, panel, program.Broadcast{Arrays: []string{name("panel", 0)}, Root: owner})
	for k := range m.units {
		column := program.Dispatch{
			Label: "column", Kernel: "column",
			Bind: []program.Binding{{Array: "column", Access: program.Write}, {Array: "D", Access: program.Read}},
		}
		for _, s := range shares {
			column.On = append(column.On, program.Launch{Units: s.Len(), Mul: blockRows * blockRows / 4, Div: 256, Push: []uint32{uint32(m.pitch), uint32(k * blockRows)}})
		}
		from := name("panel", int(k%2))
		list = append(list, column)
		if k+1 == m.units {
			return append(list, m.relax("relax", "column", from, blockRows, blockRows, shares))
		}
		for shares[owner].Hi <= k+1 {
			owner++
		}
		cuts := cutsOf(k+1-shares[owner].Lo, shares[owner].Len())
		on := func(part int, elsewhere bool) program.Dispatch {
			return m.relaxPart("relax", "column", from, blockRows, blockRows, shares, func(i int, units int64) program.Share {
				switch {
				case i == owner:
					return cuts[part]
				case elsewhere:
					return program.Share{Hi: units}
				}
				return program.Share{}
			})
		}
		pivot, panel := m.inner(shares, owner, k+1)
		beside, besides := on(1, false), on(2, false)
		beside.Independent, besides.Independent = true, true
		rest, behind := on(3, true), on(4, false)
		behind.Independent = true
		list = append(list, on(0, false), pivot, beside, panel, besides, program.Overlap{
			Comm: program.Broadcast{Arrays: []string{name("panel", int((k+1)%2))}, Root: owner},
			Body: []program.Dispatch{rest, behind},
		})
	}
	return list
}

// cutsOf cuts units of a share, all from even ones on: the two that hold the next block, two
// parts to relax beside its kernels, and what is left, before and behind.
func cutsOf(next, units int64) [5]program.Share {
	lo := next / 2 * 2
	hi := min(lo+2, units)
	part := units / ahead / 2 * 2
	if lo >= units-hi { // from the larger side
		one := min(part, lo)
		two := min(2*part, lo)
		return [5]program.Share{{Lo: lo, Hi: hi}, {Lo: 0, Hi: one}, {Lo: one, Hi: two}, {Lo: two, Hi: lo}, {Lo: hi, Hi: units}}
	}
	one := min(hi+part, units)
	two := min(one+part, units)
	return [5]program.Share{{Lo: lo, Hi: hi}, {Lo: hi, Hi: one}, {Lo: one, Hi: two}, {Lo: two, Hi: units}, {Lo: 0, Hi: lo}}
}

// inner makes the paths within block k and those of its rows to all columns, on its owner.
func (m paths) inner(shares []program.Share, owner int, k int64) (pivot, panel program.Dispatch) {
	only := func(kernel string, groups int64, push []uint32, bind ...program.Binding) program.Dispatch {
		d := program.Dispatch{Label: kernel, Kernel: kernel, Bind: bind, On: make([]program.Launch, len(shares))}
		d.On[owner] = program.Launch{First: k - shares[owner].Lo, Units: 1, Across: groups, Push: push}
		for i := range d.On {
			d.On[i].Push = push
		}
		return d
	}
	local := func(name string, access program.Access) program.Binding {
		return program.Binding{Array: name, Access: access, Window: program.Whole}
	}
	pivot = only("pivot", 1, []uint32{uint32(m.pitch), uint32(k * blockRows)},
		local("pivot", program.Write), program.Binding{Array: "D", Access: program.Read})
	panel = only("panel", m.pitch/blockRows, []uint32{uint32(m.pitch)},
		local(name("panel", int(k%2)), program.Write), local("pivot", program.Read), program.Binding{Array: "D", Access: program.Read})
	return pivot, panel
}
