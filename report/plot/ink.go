package plot

import (
	"fmt"
	"image/color"
	"strings"
	"sync"
)

// Ink is a colour by its name: in a page the variable --NAME of the style sheet, so
// that drawings follow the page into the dark.
type Ink string

// seriesInks is how many colours tell series apart; Steps how many a heat map has.
const (
	seriesInks = 8
	Steps      = 9
)

// SeriesInk is the colour of series i, from 0: s1 to s8, then again.
func SeriesInk(i int) Ink { return Ink(fmt.Sprintf("s%d", i%seriesInks+1)) }

// Inks lists every name that a page must give a colour.
func Inks() []Ink {
	out := []Ink{"ink", "muted", "grid", "panel", "strong", "weak", "compute", "transfer", "host", "wait", "hold"}
	for i := range seriesInks {
		out = append(out, SeriesInk(i))
	}
	for i := range Steps {
		out = append(out, step(i))
	}
	return out
}

func step(i int) Ink { return Ink(fmt.Sprintf("h%d", i)) }

// StepOf is the step of a heat map, 0 to Steps-1, for a share of the largest value.
func StepOf(share float64) int {
	return int(min(max(share, 0), 0.9999) * Steps)
}

// palette gives a name its colour; nil: nothing is painted.
type palette func(Ink) color.Color

// light is the palette of files, which are drawn on white.
func light(i Ink) color.Color {
	switch i {
	case "paper":
		return color.White
	case "muted":
		return rgb(0x6b7280)
	case "grid":
		return rgb(0xe5e7eb)
	case "strong":
		return rgb(0x2563eb)
	case "weak":
		return rgb(0xc2410c)
	}
	for k, v := range lightSeries {
		if i == SeriesInk(k) {
			return rgb(v)
		}
	}
	return rgb(0x1f2937)
}

// lightSeries are the colours of series, those of a light page.
var lightSeries = [seriesInks]uint32{0x2563eb, 0xb45309, 0x0f766e, 0xa21caf, 0x4d7c0f, 0xbe123c, 0x0e7490, 0x6d28d9}

// standIn is the colour drawn in the place of the ink with this number in Inks.
func standIn(number int) uint32 { return 0x010203 + 0x010101*uint32(number) }

// standIns is the palette of pages: colours that no drawing uses otherwise, which
// inked replaces by variables.
func standIns(i Ink) color.Color {
	for number, name := range Inks() {
		if name == i {
			return rgb(standIn(number))
		}
	}
	return nil // paper: the page shows through
}

var inker = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	for number, name := range Inks() {
		pairs = append(pairs, fmt.Sprintf("#%06X", standIn(number)), "var(--"+string(name)+")")
	}
	return strings.NewReplacer(pairs...)
})

// inked replaces the stand-ins in a drawing by the variables they stand for.
func inked(svg string) string { return inker().Replace(svg) }

func rgb(v uint32) color.Color {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255}
}
