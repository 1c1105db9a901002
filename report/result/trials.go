package result

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// decodeTrials reads the list of trials. One goroutine finds where each ends, the
// others decode them: a file of 10,000 trials holds millions of numbers. As many
// stretches of text are in memory as are being worked on.
func decodeTrials(c *cutter, trials []Trial) ([]Trial, error) {
	switch b, err := c.peek(); {
	case err != nil:
		return nil, early(err)
	case b == 'n': // null: no trials
		raw, err := c.value()
		if err == nil && string(raw) != "null" {
			err = c.odd(b, "a list of trials belongs here")
		}
		return trials, err
	case b != '[':
		return nil, &fault{ErrMalformed, `"trials" is not a list`}
	}
	c.at++
	if b, err := c.peek(); err != nil {
		return nil, early(err)
	} else if b == ']' {
		c.at++
		return trials, nil
	}
	var (
		slots   = 2 * runtime.GOMAXPROCS(0)
		work    = make(chan *texts)
		buffers = make(chan []byte, slots)
		workers sync.WaitGroup
		all     []*texts
		failed  atomic.Bool
		last    bool
		readErr error
	)
	for range slots {
		buffers <- nil
	}
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for b := range work {
				text := b.text
				b.decode()
				if b.err != nil {
					failed.Store(true)
				}
				buffers <- text
			}
		})
	}
	for !last && readErr == nil && !failed.Load() {
		b := &texts{text: <-buffers, lean: c.lean}
		last, readErr = c.batch(b)
		all = append(all, b)
		work <- b
	}
	close(work)
	workers.Wait()
	c.text, c.base, c.at = append([]byte{}, c.text[c.at:]...), c.offset(), 0
	found := 0
	for _, b := range all {
		found += len(b.trials)
	}
	trials = slices.Grow(trials, found)
	for _, b := range all { // the first error of the file, whichever worker met it
		if b.err != nil {
			return nil, b.err
		}
		trials = append(trials, b.trials...)
	}
	return trials, readErr
}

// texts is a run of consecutive trials: their text, where in it and in the file each
// stands, and what came of them.
type texts struct {
	text   []byte
	raw    [][]byte
	at     []int64
	trials []Trial
	err    error
	lean   bool
}

func (b *texts) decode() {
	b.trials = make([]Trial, len(b.raw))
	for i, raw := range b.raw {
		if err := b.trials[i].read(raw, b.lean); err != nil {
			b.trials, b.err = nil, explain(err, b.at[i]+within(err))
			break
		}
	}
	b.text, b.raw, b.at = nil, nil, nil
}

// batch reads on into the memory of b and cuts the trials that end there; last: it is
// at the end of the list. What was cut before an error is in b.
func (c *cutter) batch(b *texts) (last bool, err error) {
	if cap(b.text) == 0 {
		b.text = make([]byte, 0, stretch)
	}
	c.move(b.text)
	if err = c.fill(); err != nil && c.at == len(c.text) {
		return false, early(err)
	}
	for {
		from := c.at
		c.space()
		start := c.at
		err := c.skip()
		end := c.at
		c.space()
		switch {
		case err != nil && !errors.Is(err, errShort):
			b.text = c.text
			return false, c.unreadable(err.Error())
		case err == nil && c.at < len(c.text):
			b.raw, b.at = append(b.raw, c.text[start:end]), append(b.at, c.base+int64(start))
			if last, err = c.follows(']'); last || err != nil {
				b.text = c.text
				return last, err
			}
			continue
		}
		if c.at = from; len(b.raw) > 0 {
			b.text = c.text
			return false, nil
		}
		if err := c.more(); err != nil { // one trial is longer than all of the text
			return false, early(err)
		}
	}
}
