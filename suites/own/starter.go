package own

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Starter is a description to begin with, made from what the module says. Push values
// whose meaning it does not tell must be filled in; otherwise it can be run as it is,
// but checks nothing until `expect` is written.
func Starter(m *Module, shader string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	e := m.Entries[0]
	size := e.GroupSize(nil)
	line("# Made by `amgpu kernel init` from %s; docs/own-kernel.md explains every key.", printable(shader))
	line("# work-groups of %d x %d x %d%s", size[0], size[1], size[2], needsNote(m))
	line("entry: %s", quoted(e.Name))
	n, unit := "n", perUnit(m)
	if unit > 1 {
		n = fmt.Sprintf("%d * n", unit)
		line("n: {S: 1048576, M: 67108864}   # units of %d elements: a share is whole words of %d bytes", unit, wordBytes)
	} else {
		line("n: {S: 1048576, M: 67108864}   # units of work")
	}
	line("divide: elements               # or rows, with width: ELEMENTS; halo: UNITS where neighbours are read")
	line("groups: [ceil(%s / local_x), 1, 1]", n)
	line("bindings:")
	for _, buf := range m.Buffers {
		access, typ := buf.access(), buf.Type
		if typ == "" {
			typ = "u32"
		}
		count, note := length(buf, unit)
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
		for _, p := range pushWords(m, n) {
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

// length is the count of a buffer of `unit` elements to a unit of work, and what it rests on.
func length(b Buffer, unit int64) (count, note string) {
	words := (b.Fixed + wordBytes - 1) / wordBytes
	switch k := unit * b.Per; {
	case k == 0:
		return fmt.Sprint(max(words, 1)), ", of fixed size: taken as words"
	case k == 1:
		count = "n"
	default:
		count = fmt.Sprintf("%d * n", k)
	}
	if words > 0 {
		count += fmt.Sprintf(" + %d", words)
	}
	if b.Per > 1 {
		note = fmt.Sprintf(", %d to an element", b.Per)
	}
	if b.Type == "" {
		note = ", a structure: taken as words" + note
	}
	return count, note
}

func needsNote(m *Module) string {
	if len(m.Needs) == 0 {
		return ""
	}
	return "; needs " + strings.Join(m.Needs, ", ")
}

// perUnit is the elements in a unit of work: as many as fill a word of the narrowest
// buffer, so that every share is whole words.
func perUnit(m *Module) int64 {
	unit := int64(1)
	for _, b := range m.Buffers {
		if size := types[b.Type] * b.Per; size > 0 {
			unit = lcm(unit, wordBytes/gcd(size, wordBytes))
		}
	}
	return unit
}

// pushWords lists the block's members in order, gaps and what is no scalar as words. n
// is the elements of a share. What the names do not tell is left to be filled in: a
// wrong guess such as 0 elements would be a kernel that computes nothing.
func pushWords(m *Module, n string) []string {
	var out []string
	for at := 0; at < m.Push; {
		typ, note, value := "u32", "not used by the module", "0"
		k := slices.IndexFunc(m.PushWord, func(p Member) bool {
			return int64(p.Offset) < int64(at)+wordBytes && int64(at) < int64(p.Offset)+p.Size
		})
		if k >= 0 {
			p := &m.PushWord[k]
			if types[p.Type] >= wordBytes && p.Type != "f64" && int(p.Offset) == at {
				typ = p.Type
			}
			note, value = p.Name, fillIn
			switch lower := strings.ToLower(p.Name); {
			case typ == "f32" && lower != "":
				value = "1.0"
			case p.Type == typ && (lower == "n" || lower == "count" || lower == "size"):
				value = n
			}
		}
		note = strings.TrimRight(fmt.Sprintf("offset %d %s", at, printable(note)), " ")
		if value == fillIn {
			note += ": fill it in"
		}
		out = append(out, fmt.Sprintf("  - {type: %s, value: %s}%s", typ, value, remark(note)))
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
