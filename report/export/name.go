package export

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/amgpu/amgpu/report/result"
)

// part is one fact of what makes a row itself.
type part struct{ key, value string }

// parts are all facts that tell a row from the others of its file, and find it
// again in other files. Those that do not apply are left out.
func parts(r *result.Summary) []part {
	out := []part{{"workload", r.Workload}, {"mode", r.Mode}, {"size", r.Size.Label}, {"n", known(r.Size.N)},
		{"strategy", r.Strategy}, {"split", r.Split}, {"transport", r.Transport}, {"algorithm", r.Algorithm},
		{"residency", r.Residency}, {"cache", r.Cache}}
	if r.Mode == "solo" && len(r.Teams) == 1 && len(r.Teams[0]) == 1 {
		out = append(out, part{"device", strconv.Itoa(r.Teams[0][0])})
	}
	out = append(out, part{"gpus", strconv.Itoa(r.Count)})
	kept := out[:0]
	for _, p := range out {
		if p.value != "" {
			kept = append(kept, p)
		}
	}
	return kept
}

// known is a size; empty where nobody told it, as in imported rows.
func known(size int64) string {
	if size == 0 {
		return ""
	}
	return strconv.FormatInt(size, 10)
}

// rowName is the row as one word: the workload, then key=value, between slashes.
// Different rows have different names.
func rowName(r *result.Summary) string {
	words := []string{encode(r.Workload, "=")}
	for _, p := range parts(r) {
		if p.key != "workload" {
			words = append(words, p.key+"="+encode(p.value, "/="))
		}
	}
	return strings.Join(words, "/")
}

// encode writes what cannot stand in a name, and the characters of also, as
// %XX for each byte, so that different texts stay different.
func encode(text, also string) string {
	var b strings.Builder
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		if r == '%' || r == unicode.ReplacementChar || unicode.IsSpace(r) || !unicode.IsGraphic(r) || strings.ContainsRune(also, r) {
			for _, c := range []byte(text[i : i+size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
			continue
		}
		b.WriteString(text[i : i+size])
	}
	return b.String()
}

// shorten keeps a name within limit bytes; a cut one ends in a hash of the whole.
func shorten(name string, limit int) string {
	if len(name) <= limit {
		return name
	}
	h := fnv.New64a()
	h.Write([]byte(name)) // never fails
	tail := fmt.Sprintf("~%016x", h.Sum64())
	return strings.ToValidUTF8(name[:limit-len(tail)], "") + tail
}

// line makes text of one line that controls no terminal and reorders nothing.
func line(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return ' '
		}
		return r
	}, text))
}

// inventory lists values with how often each is there: "4x NVIDIA L4, 1x AMD W7900".
func inventory(devices []result.Device, of func(result.Device) string) string {
	var order []string
	count := map[string]int{}
	for _, d := range devices {
		v := line(of(d))
		if v == "" {
			continue
		}
		if count[v]++; count[v] == 1 {
			order = append(order, v)
		}
	}
	for i, v := range order {
		order[i] = fmt.Sprintf("%dx %s", count[v], v)
	}
	return strings.Join(order, ", ")
}
