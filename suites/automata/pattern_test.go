package automata

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites/suitetest"
)

const (
	gliderRLE   = "#C a glider\nx = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\n"
	gliderCells = "!Name: Glider\n.O\n..O\nOOO\n"
)

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// alive lists the live cells of a board.
func alive(words []uint32, width int64) map[[2]int64]bool {
	out := map[[2]int64]bool{}
	for i, w := range words {
		for k := range int64(wordBits) {
			if w>>k&1 == 1 {
				out[[2]int64{int64(i) / width, int64(i)%width*wordBits + k}] = true
			}
		}
	}
	return out
}

// TestGliderFromFile: both formats hold the same glider, and it moves by (1,1) in 4 steps.
func TestGliderFromFile(t *testing.T) {
	for name, text := range map[string]string{"g.rle": gliderRLE, "g.cells": gliderCells, "m.cells": "\xef\xbb\xbf.O\r\n..O\r\nOOO\r\n", "h.RLE": "\xef\xbb\xbfx=3,y=3\nbo b $ 2bo $\n3o ! ignored"} {
		path := file(t, name, text)
		size, err := (life{}).InputSize(path)
		if err != nil || size != leastBoard {
			t.Fatalf("%s: size %d, %v", name, size, err)
		}
		b := suitetest.Build(life{}, size, 2)
		b.Input = path
		if _, err := (life{}).Build(b); err != nil {
			t.Fatal(err)
		}
		bd, err := boardOf(b)
		if err != nil {
			t.Fatal(err)
		}
		word, _, err := start(b, bd)
		if err != nil {
			t.Fatal(err)
		}
		cells := make([]uint32, bd.height*bd.words)
		for i := range cells {
			cells[i] = word(int64(i))
		}
		before := alive(cells, bd.words)
		after := alive(evolve(cells, bd.height, bd.words, 4), bd.words)
		if len(before) != 5 || len(after) != 5 {
			t.Fatalf("%s: %d live cells, %d after four steps", name, len(before), len(after))
		}
		for c := range before {
			if !after[[2]int64{c[0] + 1, c[1] + 1}] {
				t.Errorf("%s: the glider is %v, then %v", name, before, after)
			}
		}
	}
}

func TestBadPatterns(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a.rle":   {"x = 3, y = 3\nbob$2bo$3o", "line 2: the end, !, is missing"},
		"b.rle":   {"x = 3, y = 3, rule = B36/S23\nbo!", "line 1: rule \"B36/S23\""},
		"c.rle":   {"x = 3, y = 3\nbo?!", "line 2: '?'"},
		"d.rle":   {"x = 3, y = 3\n99999999999o!", "line 2: a run of more than"},
		"e.rle":   {"x = -3, y = 3\no!", "line 1: x = \"-3\""},
		"f.rle":   {"x = 3, y = 3\nb!", "no live cell"},
		"g.rle":   {"x = 1, y = 1\n65536$o!", "larger than"},
		"h.cells": {".O\n.x", "line 2: 'x'"},
		"i.cells": {"", "the file is empty: give a pattern"},
		"n.cells": {"\n", "no live cell: give"},
		"o.rle":   {"x = 3, y = 3\nb0o!", "line 2: a run of 0"},
		"p.rle":   {"\x1f\x8b\x08\x00", "byte 0: this is compressed with gzip: unpack it first and give a pattern"},
		"q.cells": {".O\rO\n", "line 1: a carriage return within"},
		"s.rle":   {"x = 3, y = 3, rule = B3/S23\rbo!\r", "line 1: a carriage return within"},
		"t.cells": {"! a\rO\r", "line 1: a carriage return within"},
		"r.rle":   {"x = 3\n-3o!", "line 2: '-'"},
		"j.txt":   {"o!", "give a file named"},
		"k.rle":   {"\n", "line 1: the end, !, is missing"},
		"l.rle":   {"x = 4000000000, y = 3\no!", "line 1: x = \"4000000000\": sides go from 0 to 65536"},
		"m.rle":   {"x = 3, y = 3\n65536b65536b65536bo!", "line 2: the pattern is larger than"},
	} {
		if _, err := (life{}).InputSize(file(t, name, c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	path := file(t, "wide.cells", strings.Repeat(".", 300)+"O\n")
	b := suitetest.Build(life{}, 256, 1)
	b.Input = path
	if _, err := (life{}).Build(b); err == nil || !strings.Contains(err.Error(), "choose size 1280") {
		t.Errorf("a pattern that does not fit: %v", err)
	}
	b = suitetest.Weak(life{}, 1280, 2)
	b.Input = path
	if _, err := (life{}).Build(b); err == nil || !strings.Contains(err.Error(), "strong") {
		t.Errorf("a pattern in weak mode: %v", err)
	}
}

// A few bytes that stand for a large board take no memory of its size: two cells in opposite
// corners of 65536 a side.
func TestLargeAnnouncedPattern(t *testing.T) {
	path := file(t, "corners.rle", "x = 65536, y = 65536, rule = B3/S23\no65535$65535bo!\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	size, err := (life{}).InputSize(path)
	if err != nil || size != 4<<16 {
		t.Fatalf("size %d, %v", size, err)
	}
	b := suitetest.Build(life{}, size, 2)
	b.Input = path
	if _, err := (life{}).Build(b); err != nil {
		t.Fatal(err)
	}
	bd, err := boardOf(b)
	if err != nil {
		t.Fatal(err)
	}
	word, source, err := start(b, bd)
	if err != nil {
		t.Fatal(err)
	}
	top, left := (bd.height-65536)/2, (bd.words*wordBits-65536)/2
	first, last := top*bd.words+left/wordBits, (top+65535)*bd.words+(left+65535)/wordBits
	if word(first) != 1 || word(last) != 1<<31 || word(first+1)|word(last-1)|word(0) != 0 {
		t.Errorf("%x in one corner, %x in the other", word(first), word(last))
	}
	into := []uint32{7, 7, 7}
	source.Make(0, last-1, into)
	if !slices.Equal(into, []uint32{0, 1 << 31, 0}) {
		t.Errorf("a stretch is %x", into)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes are taken", took)
	}
}

// Live cells beside each other are one run.
func TestRunsAreJoined(t *testing.T) {
	for text, parse := range map[string]func([]byte) (*pattern, int, error){"OOO.OO\nO\n": parseCells, "oo1ob2o$o!": parseRLE} {
		p, _, err := parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if want := []run{{0, 0, 3}, {0, 4, 2}, {1, 0, 1}}; !slices.Equal(p.runs, want) {
			t.Errorf("%q: %v, want %v", text, p.runs, want)
		}
	}
}

// FuzzPattern: whatever a file holds, reading ends with a pattern or an error.
func FuzzPattern(f *testing.F) {
	f.Add(gliderRLE, true)
	f.Add(gliderCells, false)
	f.Fuzz(func(t *testing.T, text string, rle bool) {
		parse := parseCells
		if rle {
			parse = parseRLE
		}
		p, line, err := parse([]byte(text))
		if err == nil && (p.width > maxPattern || p.height > maxPattern) || line > len(text)+1 {
			t.Error(fmt.Sprint(p, line, err))
		}
	})
}
