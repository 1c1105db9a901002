package result

import (
	"encoding/json"
	"runtime"
	"sync"
	"sync/atomic"
)

// batch is how many trials a worker decodes at a time, and window the bytes of
// text that may wait for workers: memory is that of the result, not of its text.
const (
	batch  = 32
	window = 32 << 20
)

// decodeTrials reads the list of trials. One goroutine finds where each ends, the
// others decode them: a file of 10,000 trials holds millions of numbers.
func decodeTrials(dec *json.Decoder, trials []Trial) ([]Trial, error) {
	token, err := dec.Token()
	if err != nil || token == nil { // null: no trials
		return trials, err
	}
	if token != json.Delim('[') {
		return nil, &fault{ErrMalformed, `"trials" is not a list`}
	}
	var (
		work    = make(chan *texts)
		workers sync.WaitGroup
		all     []*texts
		failed  atomic.Bool
		slots   = make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for b := range work {
				b.decode()
				if b.err != nil {
					failed.Store(true)
				}
				<-slots
			}
		})
	}
	readErr := eachBatch(dec, cap(slots), func(b *texts) bool {
		slots <- struct{}{}
		all = append(all, b)
		work <- b
		return !failed.Load()
	})
	close(work)
	workers.Wait()
	for _, b := range all { // the first error of the file, whichever worker met it
		if b.err != nil {
			return nil, b.err
		}
		trials = append(trials, b.trials...)
	}
	if readErr != nil {
		return nil, readErr
	}
	return trials, expect(dec, json.Delim(']'))
}

// texts is a run of consecutive trials: their text, where in the file each ends,
// and what came of them.
type texts struct {
	raw    []json.RawMessage
	ends   []int64
	trials []Trial
	err    error
}

func (b *texts) decode() {
	b.trials = make([]Trial, len(b.raw))
	for i, raw := range b.raw {
		if err := b.trials[i].UnmarshalJSON(raw); err != nil {
			b.trials, b.err = nil, explain(err, b.ends[i])
			break
		}
	}
	b.raw, b.ends = nil, nil
}

// eachBatch cuts the list into batches until use returns false. waiting batches
// share the window.
func eachBatch(dec *json.Decoder, waiting int, use func(*texts) bool) error {
	for dec.More() {
		b := &texts{}
		for bytes := 0; dec.More() && len(b.raw) < batch && bytes < window/waiting; {
			var raw json.RawMessage
			if err := dec.Decode(&raw); err != nil {
				use(b) // an earlier trial may be the first to be wrong
				return err
			}
			bytes += len(raw)
			b.raw, b.ends = append(b.raw, raw), append(b.ends, dec.InputOffset())
		}
		if !use(b) {
			return nil
		}
	}
	return nil
}
