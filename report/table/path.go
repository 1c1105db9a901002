package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// paths are the sentences under a series that say what the end of each row waited for.
func paths(rows []result.Summary) []string {
	var out []string
	for _, r := range rows {
		if r.Path == nil {
			continue
		}
		out = append(out, fmt.Sprintf("critical path, %s: %s", rowName(r), Path(r.Path)))
	}
	return out
}

// mostNamed is how many devices are named for a kind of span.
const mostNamed = 2

// leastNamed is the share from which on a device is counted.
const leastNamed = 0.0005

// Path says which kinds of spans a critical path consists of, on which devices, and what
// the bottleneck is: compute 84.1 % (GPU 1 80.0 %, GPU 0 4.1 %), host 15.9 %; bottleneck:
// compute of GPU 1, for which the others wait 31 % of the time.
func Path(p *result.Path) string {
	var parts []string
	for i, x := range p.Parts {
		same := func(y result.PathPart) bool { return y.Kind == x.Kind }
		if slices.ContainsFunc(p.Parts[:i], same) {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %s%s", Clean(x.Kind), percent(p.Share(x.Kind)), onDevices(p, x.Kind)))
	}
	text := strings.Join(parts, ", ") + "; bottleneck: " + Bottleneck(p.Bottleneck)
	if p.Covered > 0 && p.Covered < 0.95 {
		text += fmt.Sprintf(" (of the first %s of a sample)", percent(p.Covered))
	}
	return text
}

// onDevices names the devices of a kind in brackets, with their shares if there are several.
func onDevices(p *result.Path, kind string) string {
	var names, shares []string
	for _, x := range p.Parts {
		if x.Kind == kind && x.Device != nil && (x.Share >= leastNamed || len(names) == 0) {
			names = append(names, fmt.Sprintf("GPU %d", *x.Device))
			shares = append(shares, percent(x.Share))
		}
	}
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return " (" + names[0] + ")"
	default:
		for i := range names {
			names[i] += " " + shares[i]
		}
		if n > mostNamed {
			names = append(names[:mostNamed], fmt.Sprintf("%d more", n-mostNamed))
		}
		return " (" + strings.Join(names, ", ") + ")"
	}
}

// Bottleneck names the kind and, where others wait for one, the device.
func Bottleneck(b result.Bottleneck) string {
	if b.Device == nil {
		return Clean(b.Kind)
	}
	return fmt.Sprintf("%s of GPU %d, for which the others wait %.0f %% of the time", Clean(b.Kind), *b.Device, 100*b.Waiting)
}
