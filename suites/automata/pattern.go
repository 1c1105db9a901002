package automata

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/amgpu/amgpu/suites/input"
)

// A pattern is read from a file in the run-length format of Golly (.rle) or in plain text
// (.cells): ! begins a comment, O or * is alive, . is dead. It lies in the middle of a
// board at least four times as wide and high.
type pattern struct {
	runs          []run
	width, height int64
}

// run is a stretch of live cells in a row. Two bytes of a file may become one.
type run struct{ row, col, n int32 }

const (
	maxPattern     = 1 << 16 // a side
	maxPatternFile = 64 << 20
	// bytesEach bounds the memory that a byte of a file takes: of two a run is made, and the
	// slice of runs grows.
	bytesEach  = 32
	leastBoard = 256
	// boardStep keeps rows a multiple of the words that the fast kernel takes.
	boardStep = wide * wordBits
)

// add notes n live cells at a place.
func (p *pattern) add(row, col, n int64) error {
	if row >= maxPattern || col+n > maxPattern {
		return fmt.Errorf("the pattern is larger than %d cells a side", maxPattern)
	}
	if k := len(p.runs) - 1; k >= 0 && int64(p.runs[k].row) == row && int64(p.runs[k].col+p.runs[k].n) == col {
		p.runs[k].n += int32(n)
	} else {
		p.runs = append(p.runs, run{int32(row), int32(col), int32(n)})
	}
	p.width, p.height = max(p.width, col+n), max(p.height, row+1)
	return nil
}

// edge is the size of the board.
func (p *pattern) edge() int64 {
	return max(leastBoard, (4*max(p.width, p.height)+boardStep-1)/boardStep*boardStep)
}

// patterns keeps the pattern read last: a sweep builds it again and again.
var patterns struct {
	sync.Mutex
	path  string
	stamp int64
	last  *pattern
}

// readPattern reads a file; errors name the line.
func readPattern(path string) (*pattern, error) {
	f, err := input.Open(path, "a pattern, a file named .rle or .cells", input.Text)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	patterns.Lock()
	defer patterns.Unlock()
	if patterns.last != nil && patterns.path == path && patterns.stamp == f.Stamp {
		return patterns.last, nil
	}
	parse := parseRLE
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".rle":
	case ".cells":
		parse = parseCells
	default:
		return nil, fmt.Errorf("input %s: %q is no kind of pattern: give a file named .rle or .cells", path, ext)
	}
	most := int64(maxPatternFile)
	if free, ok := input.Free(); ok {
		most = min(most, free/bytesEach)
	}
	if f.Size > most {
		return nil, fmt.Errorf("input %s has %d bytes: give a pattern of %d at most", path, f.Size, most)
	}
	raw := make([]byte, f.Size)
	if _, err := f.ReadAt(raw, 0); err != nil {
		return nil, fmt.Errorf("input %s: %w", path, input.Cause(err))
	}
	p, line, err := parse(input.TrimMark(raw))
	if err != nil {
		return nil, fmt.Errorf("input %s, line %d: %w", filepath.Base(path), line, err)
	}
	if len(p.runs) == 0 {
		return nil, fmt.Errorf("input %s holds no live cell: give a pattern with one", path)
	}
	patterns.path, patterns.stamp, patterns.last = path, f.Stamp, p
	return p, nil
}

var errReturn = errors.New("a carriage return within the line: end lines with line feeds")

func parseCells(raw []byte) (*pattern, int, error) {
	p := &pattern{}
	row := int64(0)
	line := 0
	for text := range bytes.Lines(raw) {
		line++
		text = bytes.TrimRight(text, "\r\n \t")
		if bytes.IndexByte(text, '\r') >= 0 {
			return nil, line, errReturn
		}
		if len(text) > 0 && text[0] == '!' {
			continue
		}
		for col, c := range text {
			switch c {
			case 'O', 'o', '*':
				if err := p.add(row, int64(col), 1); err != nil {
					return nil, line, err
				}
			case '.', ' ':
			default:
				return nil, line, fmt.Errorf("%q is neither O nor . nor *", c)
			}
		}
		row++
	}
	return p, line, nil
}

func parseRLE(raw []byte) (*pattern, int, error) {
	p := &pattern{}
	line, header := 0, false
	var row, col, count int64
	counted := false // digits precede
	for text := range bytes.Lines(raw) {
		line++
		text = bytes.TrimSpace(text)
		if bytes.IndexByte(text, '\r') >= 0 {
			return nil, line, errReturn
		}
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		if !header && text[0] == 'x' {
			header = true
			if err := checkRule(string(text)); err != nil {
				return nil, line, err
			}
			continue
		}
		header = true
		for _, c := range text {
			n := count
			if !counted {
				n = 1
			}
			switch {
			case counted && n == 0 && (c < '0' || c > '9'):
				return nil, line, fmt.Errorf("a run of 0")
			case c >= '0' && c <= '9':
				counted = true
				if count = 10*count + int64(c-'0'); count > maxPattern {
					return nil, line, fmt.Errorf("a run of more than %d", maxPattern)
				}
				continue
			case c == 'b' || c == 'B' || c == '.':
				col += n
			case c == 'o' || c == 'O' || c == 'A':
				if err := p.add(row, col, n); err != nil {
					return nil, line, err
				}
				col += n
			case c == '$':
				row, col = row+n, 0
			case c == '!':
				return p, line, nil
			case c == ' ' || c == '\t':
				continue
			default:
				return nil, line, fmt.Errorf("%q is no part of a run: b, o, $ and ! are", c)
			}
			if col > maxPattern || row > maxPattern {
				return nil, line, fmt.Errorf("the pattern is larger than %d cells a side", maxPattern)
			}
			count, counted = 0, false
		}
	}
	return nil, max(line, 1), fmt.Errorf("the end, !, is missing: is the file complete?")
}

// checkRule reads the header: x = 3, y = 3, rule = B3/S23.
func checkRule(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.ToUpper(strings.TrimSpace(value))
		switch {
		case !ok:
		case name == "x" || name == "y":
			if n, err := strconv.ParseInt(value, 10, 64); err != nil || n < 0 || n > maxPattern {
				return fmt.Errorf("%s = %.40q: sides go from 0 to %d", name, value, maxPattern)
			}
		case name == "rule":
			rule, _, _ := strings.Cut(value, ":") // what follows bounds the grid
			if rule != "B3/S23" && rule != "S23/B3" && rule != "23/3" && rule != "LIFE" {
				return fmt.Errorf("rule %.40q: only Life, B3/S23, is computed", value)
			}
		}
	}
	return nil
}
