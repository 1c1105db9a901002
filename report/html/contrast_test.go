package html_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/plot"
)

// themes are the colours of the style sheet: light, dark and on paper, which has those
// of light where it sets none.
func themes(t *testing.T) map[string]map[string]string {
	t.Helper()
	raw, err := os.ReadFile("style.css")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`:root \{([^}]*)\}`).FindAllStringSubmatch(string(raw), -1)
	if len(blocks) != 3 {
		t.Fatalf("%d sets of colours", len(blocks))
	}
	out := map[string]map[string]string{}
	for i, name := range []string{"light", "dark", "paper"} {
		out[name] = map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z0-9-]+):\s*(#[0-9a-f]+)`).FindAllStringSubmatch(blocks[i][1], -1) {
			out[name][m[1]] = m[2]
		}
	}
	return out
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	hex = strings.TrimPrefix(hex, "#")
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	v, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) != 6 {
		t.Fatalf("colour %q: %v", hex, err)
	}
	linear := func(c uint64) float64 {
		s := float64(c&255) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(v>>16) + 0.7152*linear(v>>8) + 0.0722*linear(v)
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestContrast: WCAG AA in both themes and on paper, 4.5 for text and 3 for what is
// drawn and must be seen.
func TestContrast(t *testing.T) {
	if c := contrast(t, "#777777", "#fff"); math.Abs(c-4.478) > 0.01 { // the well-known grey that just fails
		t.Fatalf("the formula is wrong: %g", c)
	}
	type pair struct {
		ink, on string
		least   float64
	}
	var pairs []pair
	for _, on := range []string{"paper", "panel"} {
		for _, ink := range []string{"ink", "muted", "link", "poor"} {
			pairs = append(pairs, pair{ink, on, 4.5})
		}
		for _, ink := range []string{"good", "fair", "poor"} {
			pairs = append(pairs, pair{ink, on, 3})
		}
	}
	pairs = append(pairs, pair{"good", "good-bg", 4.5}, pair{"fair", "fair-bg", 4.5}, pair{"poor", "poor-bg", 4.5}, pair{"muted", "none-bg", 4.5}, pair{"ink", "fair-bg", 4.5},
		pair{"paper", "ink", 4.5}) // the value that is shown
	for i := range plot.Steps { // numbers in a heat map
		ink := "ink"
		if i >= 5 {
			ink = "paper"
		}
		pairs = append(pairs, pair{ink, fmt.Sprintf("h%d", i), 4.5})
	}
	for i := range 8 {
		pairs = append(pairs, pair{string(plot.SeriesInk(i)), "panel", 3})
	}
	for i := 1; i <= 7; i++ {
		pairs = append(pairs, pair{fmt.Sprintf("c%d", i), "paper", 3})
	}
	for _, ink := range []string{"strong", "weak", "compute", "transfer", "host", "wait"} {
		pairs = append(pairs, pair{ink, "panel", 3})
	}
	for name, colours := range themes(t) {
		for _, p := range pairs {
			if colours[p.ink] == "" || colours[p.on] == "" {
				t.Errorf("%s has no colour %s or %s", name, p.ink, p.on)
			} else if c := contrast(t, colours[p.ink], colours[p.on]); c < p.least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, below %.1f", name, p.ink, p.on, c, p.least)
			}
		}
		for _, ink := range plot.Inks() {
			if colours[string(ink)] == "" {
				t.Errorf("%s has no colour for %s", name, ink)
			}
		}
	}
}
