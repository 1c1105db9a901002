package network

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// mostWeight keeps weights exact in float32.
const mostWeight = 1<<24 - 1

// weight is the number that a text begins with, 1 where it is empty.
func weight(text []byte) (uint32, error) {
	if end := bytes.IndexAny(text, " \t,;"); end >= 0 {
		text = text[:end]
	}
	if len(text) == 0 {
		return 1, nil
	}
	w, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(w >= 0 && w <= mostWeight) || w != math.Trunc(w) {
		return 0, fmt.Errorf("weight %.40q: give a whole number from 0 to %d, or let every edge count 1 with --param hops=1", text, mostWeight)
	}
	return uint32(w), nil
}

// mirror adds the other direction of every edge where the file stands for both.
func (l *list) mirror() {
	if !l.both {
		return
	}
	n := len(l.from)
	l.from, l.to = slices.Grow(l.from, n), slices.Grow(l.to, n)
	for k := range n {
		if l.from[k] == l.to[k] {
			continue
		}
		l.from, l.to = append(l.from, l.to[k]), append(l.to, l.from[k])
		if l.need.weighted {
			l.weights = append(l.weights, l.weights[k])
		}
	}
}
