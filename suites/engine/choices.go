package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/amgpu/amgpu/suites/program"
)

// Choices remembers the algorithms that were measured, from one launch to the next:
// rows that are compared use one algorithm. It may be used by several goroutines.
type Choices struct {
	mu   sync.Mutex
	ways map[string]chosen
}

// chosen is the fastest of several ways, and what they took: seconds by way, 0 for one
// that was not tried.
type chosen struct {
	way
	ways    []way
	seconds []float64
}

// String names the way and its time, then the others from the fastest on.
func (c chosen) String() string {
	order := make([]int, 0, len(c.ways))
	for i, t := range c.seconds {
		if t > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(c.seconds[a], c.seconds[b]) })
	var others []string
	text := c.way.String()
	for _, i := range order {
		took := spell(c.seconds[i])
		if c.ways[i] == c.way {
			text += ", " + took
		} else {
			others = append(others, c.ways[i].String()+" "+took)
		}
	}
	if len(others) > 0 {
		text += " (" + strings.Join(others, "; ") + ")"
	}
	return text
}

// spell writes a time of a microsecond to a minute in three digits.
func spell(seconds float64) string {
	unit := "us"
	x := seconds * 1e6
	for _, next := range []string{"ms", "s"} {
		if x < 999.5 {
			break
		}
		x, unit = x/1000, next
	}
	return fmt.Sprintf("%.3g %s", x, unit)
}

// get returns what was chosen; nil remembers nothing.
func (c *Choices) get(key string) (chosen, bool) {
	if c == nil {
		return chosen{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	w, ok := c.ways[key]
	return w, ok
}

func (c *Choices) put(key string, w chosen) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ways == nil {
		c.ways = map[string]chosen{}
	}
	c.ways[key] = w
}

// teamKey names a step on teams like this one: of as many devices of the same models,
// connected alike.
func (s *Session) teamKey(st program.Step, ways []way) string {
	key := fmt.Sprint(stepKey(st), s.spec.Build.Size, ways)
	for _, d := range s.team {
		key += "|" + d.Info().Name
	}
	if r, ok := s.transport.(fmt.Stringer); ok {
		key += "|" + r.String()
	}
	return key
}

// stepKey names a step. Where in its arrays a send begins makes no difference.
func stepKey(st program.Step) string {
	if send, ok := st.(program.Send); ok {
		send.Pairs = slices.Clone(send.Pairs)
		for i := range send.Pairs {
			send.Pairs[i].At, send.Pairs[i].Into = 0, 0
		}
		st = send
	}
	return fmt.Sprintf("%T%+v", st, st)
}
