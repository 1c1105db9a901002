package network

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/suites/input"
)

// A file is a list of edges, a line each: two node numbers from 0 on, source and target,
// and a weight where one is asked for; whatever else is ignored; # and % begin comments. A file that begins with
// %%MatrixMarket is one of coordinates from 1 on: row, column; an entry (i, j) is an
// edge from i to j, and in a symmetric one from j to i too.

// list is what was read so far.
type list struct {
	need     need
	from, to []uint32
	n        int64
	entries  int64 // that a Matrix Market file announced; -1: none
	first    int64 // number of the first node
	both     bool  // every edge in both directions
	columns  int   // words of an entry of a Matrix Market file
	weights  []uint32
	fault    error // the first weight that is none: only who wants weights minds
	bytes    int64 // of the file
	free     int64 // memory before it is read, bytes
	room     int   // edges that the slices have room for
	widest   int   // line with the largest node number
}

// readList reads the edges of a file in their order, as far as the need allows.
func readList(path string, need need) (*list, error) {
	f, err := openGraph(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	l := &list{need: need, entries: -1, bytes: f.Size, free: freeMemory()}
	if err := l.small(path); err != nil {
		return nil, err
	}
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	line, sized := 0, false
	market := false
	for scanner.Scan() {
		line++
		text := bytes.TrimSpace(scanner.Bytes())
		if line == 1 {
			text = bytes.TrimSpace(input.TrimMark(text))
		}
		var err error
		switch {
		case bytes.IndexByte(text, '\r') >= 0:
			err = errors.New("a carriage return within the line: end lines with line feeds")
		case line == 1 && input.IsMarket(text):
			market = true
			err = l.banner(string(text))
		case len(text) == 0 || text[0] == '#' || text[0] == '%':
		case market && !sized:
			sized = true
			err = l.sizes(text)
		default:
			err = l.edge(text, line)
		}
		if err != nil {
			return nil, fmt.Errorf("input %s, line %d: %w", filepath.Base(path), line, err)
		}
	}
	name := filepath.Base(path)
	if l.fault != nil {
		l.fault = fmt.Errorf("input %s, %w", name, l.fault)
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("input %s, line %d: longer than a line of numbers can be: is it a text file of edges?", name, line+1)
	case err != nil:
		return nil, fmt.Errorf("input %s, line %d: %w", name, line+1, input.Cause(err))
	case market && !sized:
		return nil, fmt.Errorf("input %s, line %d: the file ends before its rows, columns and entries: is it complete?", name, line)
	case l.entries >= 0 && int64(len(l.from)) < l.entries:
		return nil, fmt.Errorf("input %s, line %d: the file ends after %d of %d entries: is it complete?", name, line, len(l.from), l.entries)
	case len(l.from) == 0:
		return nil, fmt.Errorf("input %s holds no edge: give lines of two node numbers", name)
	}
	if !market {
		if err := l.dense(int64(len(l.from))); err != nil {
			return nil, fmt.Errorf("input %s, line %d: %w", name, l.widest, err)
		}
	}
	if err := l.fits(); err != nil {
		return nil, fmt.Errorf("input %s: %w", name, err)
	}
	l.mirror()
	return l, nil
}

func (l *list) banner(text string) error {
	words := strings.Fields(strings.ToLower(text))
	if len(words) < 5 || words[1] != "matrix" || words[2] != "coordinate" {
		return fmt.Errorf("%q: give a sparse one, matrix coordinate", text)
	}
	switch words[3] {
	case "pattern":
		l.columns = 2
	case "integer", "real", "double":
		l.columns = 3
	case "complex":
		l.columns = 4
		l.fault = fmt.Errorf("line 1: complex entries are no weights: give integer or pattern ones, or --param hops=1")
	default:
		return fmt.Errorf("entries of type %.20q: use pattern, integer, real or complex", words[3])
	}
	switch words[4] {
	case "general":
	case "symmetric", "skew-symmetric", "hermitian":
		l.both = true
	default:
		return fmt.Errorf("symmetry %q: use general or symmetric", words[4])
	}
	l.first = 1
	return nil
}

func (l *list) sizes(text []byte) error {
	words := bytes.Fields(text)
	var v [3]int64
	for k := range v {
		var err error
		if len(words) != 3 {
			err = errors.New("three numbers belong here")
		} else {
			v[k], err = strconv.ParseInt(string(words[k]), 10, 64)
		}
		if err != nil || v[k] < 1 {
			return fmt.Errorf("%.60q: rows, columns and entries belong here, each above 0", text)
		}
	}
	if v[0] != v[1] {
		return fmt.Errorf("%d rows and %d columns: the matrix of a graph is square", v[0], v[1])
	}
	if v[0] < l.need.least || v[0] > l.need.nodes {
		return fmt.Errorf("%d nodes: give a graph of %d to %d", v[0], l.need.least, l.need.nodes)
	}
	if most := (l.bytes + 1) / leastEntry; v[2] > most {
		return fmt.Errorf("%d entries are announced, a file of %d bytes holds at most %d: is it complete?", v[2], l.bytes, most)
	}
	l.n, l.entries = v[0], v[2]
	if err := l.dense(2 * l.entries); err != nil {
		return err
	}
	if l.entries > l.most() {
		return l.tooMany(l.entries)
	}
	return nil
}

func (l *list) edge(text []byte, line int) error {
	if l.entries >= 0 && int64(len(l.from)) >= l.entries {
		return fmt.Errorf("more entries than the %d announced", l.entries)
	}
	var v [2]int64
	for k := range v {
		text = bytes.TrimLeft(text, " \t,;")
		end := bytes.IndexAny(text, " \t,;")
		if end < 0 {
			end = len(text)
		}
		if end == 0 {
			return errors.New("two node numbers belong on a line")
		}
		n, err := strconv.ParseInt(string(text[:end]), 10, 64)
		if err != nil {
			return fmt.Errorf("%.40q is no node number", text[:end])
		}
		text = text[end:]
		v[k] = n - l.first
		last := l.need.nodes
		if l.entries >= 0 {
			last = l.n
		}
		if v[k] < 0 || v[k] >= last {
			return fmt.Errorf("node %d: numbers go from %d to %d, of %d nodes at most", n, l.first, last-1+l.first, last)
		}
	}
	if got := 2 + words(text); l.columns > 0 && got != l.columns {
		return fmt.Errorf("%d numbers: the matrix has %d an entry", got, l.columns)
	}
	if n := max(v[0], v[1]) + 1; l.entries < 0 && n > l.n {
		l.n, l.widest = n, line
	}
	if len(l.from) == l.room {
		if err := l.grow(); err != nil {
			return err
		}
	}
	l.from, l.to = append(l.from, uint32(v[0])), append(l.to, uint32(v[1]))
	if l.need.weighted {
		w, err := weight(bytes.TrimLeft(text, " \t,;"))
		l.weights = append(l.weights, w)
		if err != nil && l.fault == nil {
			l.fault = fmt.Errorf("line %d: %w", line, err)
		}
	}
	return nil
}

// words counts what blanks and other separators part.
func words(text []byte) (n int) {
	for {
		text = bytes.TrimLeft(text, " \t,;")
		if len(text) == 0 {
			return n
		}
		n++
		end := bytes.IndexAny(text, " \t,;")
		if end < 0 {
			return n
		}
		text = text[end:]
	}
}
