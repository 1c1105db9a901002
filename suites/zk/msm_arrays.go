package zk

import "github.com/amgpu/amgpu/suites/program"

// kernels lists the programs; the two that most products are in come in two forms.
func (m sumOf) kernels() []program.Kernel {
	spec := func(id, value uint32) []program.Spec { return []program.Spec{{ID: id, Value: value}} }
	accumulate := program.Kernel{Name: "accumulate", Shader: "zk/msm_accumulate", Spec: spec(2, uint32(m.chunk))}
	reduce := program.Kernel{Name: "reduce", Shader: "zk/msm_reduce"}
	if m.wide {
		for _, k := range []*program.Kernel{&accumulate, &reduce} {
			k.Shader += "_wide"
			k.Needs = []string{int64Feature}
		}
	}
	return []program.Kernel{
		accumulate, reduce,
		{Name: "multiples", Shader: "zk/msm_points"},
		{Name: "clear", Shader: "zk/msm_scan", Spec: spec(1, 1)},
		{Name: "count", Shader: "zk/msm_digits"},
		{Name: "scan", Shader: "zk/msm_scan"},
		{Name: "place", Shader: "zk/msm_digits", Spec: spec(1, 1)},
		{Name: "join", Shader: "zk/msm_join", Spec: spec(2, uint32(m.chunk))},
		{Name: "sum", Shader: "zk/msm_sum"},
	}
}

// arrays lists what devices hold. Those of a device alone have the size of the largest share.
func (m sumOf) arrays() []program.Array {
	points, windows := int64(1), int64(1)
	for d := range m.shares {
		p, w := m.of(d)
		points, windows = max(points, p), max(windows, w)
	}
	input := func(name string, stride int64, source program.Source) program.Array {
		a := program.Array{Name: name, Elem: program.U32, Layout: program.Split, Units: m.n, Stride: stride, Source: source}
		if m.byWindows {
			a.Layout = program.Replicated
		}
		return a
	}
	local := func(name string, units, stride int64) program.Array {
		return program.Array{Name: name, Elem: program.U32, Layout: program.Local, Units: units, Stride: stride, Distinct: true}
	}
	list := []program.Array{
		input("multiples", 1, m.multiples()), input("points", affineWords, program.Source{}), input("scalars", scalarWords, m.scalarSource()),
		{Name: "table", Elem: program.U32, Layout: program.Replicated, Units: tableCount << tableLog, Stride: affineWords,
			Source: program.Source{Kind: program.Made, Make: func(_ int, first int64, into []uint32) { copy(into, generatorTables()[first:]) }}},
		local("ends", windows<<m.log, 1), local("sorted", windows*points, 1),
		local("buckets", windows<<m.log, pointWords), local("heads", windows*m.chunks(points), pointWords),
		local("parts", windows*m.parts(), pointWords), local("few", windows*groupsOf(m.parts()), pointWords),
		{Name: "result", Elem: program.U32, Layout: program.Replicated, Units: 1, Stride: affineWords, Output: true},
	}
	if m.byWindows {
		return append(list, program.Array{Name: "sums", Elem: program.U32, Layout: program.Replicated, Units: m.windows, Stride: pointWords})
	}
	own, sums := local("own", m.slots(), pointWords), local("sums", m.slots(), pointWords)
	own.Source, sums.Distinct = program.Source{Kind: program.Zero}, false
	return append(list, own, sums)
}
