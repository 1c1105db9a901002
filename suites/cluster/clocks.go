package cluster

import (
	"fmt"
	"math"
	"sync"
)

// Round trips of one alignment, the age in nanoseconds from which on it is made anew, and the
// drift between two clocks that its error allows for.
const (
	pings      = 24
	alignAge   = 500e6
	driftLimit = 50e-6
)

// alignment is how far a clock is ahead of rank 0's: at that time of rank 0's, within
// error, both in nanoseconds, and by how much more per nanosecond later on.
type alignment struct {
	at, ahead int64
	error     int64
	drift     float64
}

// align finds how far a clock is ahead from round trips to it: the other clock was read
// between the begin and the end of each, so that the shortest one says it best, give or
// take half its length (Cristian 1989). before is the last alignment, from which the
// drift comes where both are far enough apart; nil: none.
func align(began, there, over []int64, before *alignment) (alignment, error) {
	best, shortest := -1, int64(math.MaxInt64)
	for i := range began {
		if d := over[i] - began[i]; d >= 0 && d < shortest {
			best, shortest = i, d
		}
	}
	if best < 0 {
		return alignment{}, fmt.Errorf("no round trip of %d was usable", len(began))
	}
	middle := began[best] + shortest/2
	a := alignment{at: middle, ahead: there[best] - middle, error: (shortest + 1) / 2}
	if before != nil && a.at > before.at {
		apart := float64(a.at - before.at)
		drift := float64(a.ahead-before.ahead) / apart
		// What both readings leave open is no drift.
		if math.Abs(drift)*apart > float64(a.error+before.error) && math.Abs(drift) <= driftLimit {
			a.drift = drift
		}
	}
	return a, nil
}

// ahead is how far the clock is ahead at a time of rank 0's clock.
func (a alignment) aheadAt(at int64) int64 {
	return a.ahead + int64(math.Round(a.drift*float64(at-a.at)))
}

// errorAt is how much that may be wrong.
func (a alignment) errorAt(at int64) int64 {
	return a.error + int64(driftLimit*math.Abs(float64(at-a.at)))
}

// clocks are the alignments of all ranks with rank 0.
type clocks struct {
	mu   sync.Mutex
	last []*alignment // by rank; nil: not aligned
	most []int64      // by rank: its largest error at a gate
}

func newClocks(n int) *clocks { return &clocks{last: make([]*alignment, n), most: make([]int64, n)} }

// ahead is how far the clock of a rank is ahead at a time of rank 0's.
func (c *clocks) ahead(rank int, at int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if rank == 0 || c.last[rank] == nil {
		return 0
	}
	return c.last[rank].aheadAt(at)
}

// stale says whether a rank must be aligned anew.
func (c *clocks) stale(rank int, now int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return rank != 0 && (c.last[rank] == nil || now-c.last[rank].at > alignAge)
}

// add takes the round trips of a rank.
func (c *clocks) add(rank int, began, there, over []int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, err := align(began, there, over, c.last[rank])
	if err == nil {
		c.last[rank] = &a
	}
	return err
}

// used notes that samples rest on the clocks of some ranks now, and returns the largest of
// their errors.
func (c *clocks) used(ranks []int, now int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	var worst int64
	for _, r := range ranks {
		if r != 0 && c.last[r] != nil {
			e := c.last[r].errorAt(now)
			c.most[r], worst = max(c.most[r], e), max(worst, e)
		}
	}
	return worst
}

// mostOf is the largest error that the clock of a rank had at a gate.
func (c *clocks) mostOf(rank int) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.most[rank]
}
