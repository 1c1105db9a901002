package own

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Starter is a description to begin with, made from what the module says. It can be
// run as it is, but checks nothing until `expect` is written.
func Starter(m *Module, shader string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	e := m.Entries[0]
	size := e.GroupSize(nil)
	line("# Made by `amgpu kernel init` from %s; docs/own-kernel.md explains every key.", printable(shader))
	line("# work-groups of %d x %d x %d%s", size[0], size[1], size[2], needsNote(m))
	line("entry: %s", quoted(e.Name))
	line("n: {S: 1048576, M: 67108864}   # units of work")
	line("divide: elements               # or rows, with width: ELEMENTS; halo: UNITS where neighbours are read")
	line("groups: [ceil(n / local_x), 1, 1]")
	line("bindings:")
	for _, buf := range m.Buffers {
		access, typ, count := buf.access(), buf.Type, "n"
		note := ""
		if typ == "" {
			typ, note = "u32", ", a structure: taken as words"
		}
		if buf.Per > 1 {
			count, note = fmt.Sprintf("%d * n", buf.Per), fmt.Sprintf(", %d to an element", buf.Per)
		}
		fill := ", fill: philox"
		switch {
		case access == "write":
			fill = ""
		case types[typ] != 4 && (typ[0] == 'f'):
			fill = ", fill: zero"
		}
		line("  - {binding: %d, type: %s, count: %s, access: %s%s}%s", buf.Binding, typ, count, access, fill, remark(printable(buf.Name)+note))
	}
	if m.Push > 0 {
		line("push:")
		for _, p := range pushWords(m) {
			line("%s", p)
		}
	}
	if len(m.Spec) > 0 {
		line("# spec:   # defaults of the module; name them to use them in expressions")
		for _, s := range m.Spec {
			typ, value := s.Type, fmt.Sprint(s.Default)
			switch typ {
			case "f32":
				value = fmt.Sprint(math.Float32frombits(s.Default))
			case "i32":
				value = fmt.Sprint(int32(s.Default))
			}
			line("#   - {id: %d, type: %s, value: %s}%s", s.ID, typ, value, remark(printable(s.Name)))
		}
	}
	line("# flops: 1    # operations per unit")
	line("# bytes: 4    # compulsory bytes of global memory per unit")
	line("unchecked: true   # better: expect: \"EXPRESSION\" and tolerance: 4u on the written bindings")
	return b.String()
}

func needsNote(m *Module) string {
	if len(m.Needs) == 0 {
		return ""
	}
	return "; needs " + strings.Join(m.Needs, ", ")
}

// pushWords lists the block's members in order, gaps and what is no scalar as words.
func pushWords(m *Module) []string {
	var out []string
	for at := 0; at < m.Push; {
		k := slices.IndexFunc(m.PushWord, func(p Member) bool { return int(p.Offset) == at })
		typ, name, value := "u32", "", "0"
		if k >= 0 {
			name = m.PushWord[k].Name
			if t := m.PushWord[k].Type; types[t] >= wordBytes && t != "f64" {
				typ = t
			}
			if lower := strings.ToLower(name); typ != "f32" && (lower == "n" || lower == "count" || lower == "size") {
				value = "n"
			}
		}
		if typ == "f32" {
			value = "1.0"
		}
		out = append(out, fmt.Sprintf("  - {type: %s, value: %s}%s", typ, value, remark(fmt.Sprintf("offset %d %s", at, printable(name)))))
		at += int(types[typ])
	}
	return out
}

// remark is a comment at the end of a line; none where there is nothing to say, as of
// what a module without debug names does not name.
func remark(text string) string {
	if text = strings.Trim(text, " ,"); text == "" {
		return ""
	}
	return "   # " + text
}

// printable keeps a name on its line of a comment.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return '?'
		}
		return r
	}, name)
}

// quoted writes a string as YAML does in any case.
func quoted(s string) string {
	if s == "main" {
		return s
	}
	return "\"" + strings.NewReplacer("\\", "\\\\", "\"", "\\\"").Replace(s) + "\""
}
