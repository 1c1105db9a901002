package cmd

import (
	"fmt"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// remarks name the NVLinks, the links that are missing, the slow ones and the transports that were passed over.
func (doc devicesJSON) remarks(b *strings.Builder) {
	said := map[string]bool{}
	say := func(format string, args ...any) {
		line := fmt.Sprintf(format, args...)
		if !said[line] {
			if len(said) == 0 {
				b.WriteString("\n")
			}
			b.WriteString(line + "\n")
		}
		said[line] = true
	}
	for _, l := range doc.Links {
		if n := l.NVLink; n != nil {
			text := fmt.Sprintf("%s: %d NVLinks %s", l.Kind, n.Links, n.Version)
			if n.Switched {
				text += " through NVSwitch"
			}
			if n.Bandwidth > 0 {
				text += fmt.Sprintf(", nominal %.0f GB/s one way", n.Bandwidth/1e9)
			}
			say("%s", text)
		}
	}
	for _, l := range doc.Links {
		switch {
		case !l.Verified:
			say("no link %d -> %d: %s", l.From, l.To, l.Reason)
		case l.Reason != "":
			say("link %d -> %d is not timed: %s", l.From, l.To, l.Reason)
		case l.Slow:
			say("slow link %d -> %d: %s", l.From, l.To, slowText(l))
		}
	}
	for _, e := range doc.passed() {
		say("passed over on %s: %s", e.links, e.reason)
	}
}

// passedOver is why a transport is not used, and on which links.
type passedOver struct{ links, reason string }

// passed lists what was passed over; links with the same reason share a line.
func (doc devicesJSON) passed() []passedOver {
	on := map[string][]string{}
	var reasons []string
	for _, l := range doc.Links {
		for _, e := range l.Excluded {
			if on[e] == nil {
				reasons = append(reasons, e)
			}
			on[e] = append(on[e], fmt.Sprintf("%d -> %d", l.From, l.To))
		}
	}
	out := make([]passedOver, len(reasons))
	for i, e := range reasons {
		out[i] = passedOver{strings.Join(on[e], ", "), e}
		if len(on[e]) == len(doc.Links) {
			out[i].links = "all links"
		}
	}
	return out
}

// slowText says how a slow link compares with its like.
func slowText(l result.Link) string {
	return fmt.Sprintf("%.2f GB/s, %.0f %% of the %.2f GB/s that %s links have here",
		*l.Bandwidth/1e9, 100**l.Bandwidth / *l.Typical, *l.Typical/1e9, l.Kind)
}
