package cmd

import (
	"fmt"

	"github.com/schollz/progressbar/v3"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/scale"
)

// bar is a progress bar on a terminal, and nothing elsewhere.
type bar struct{ p *progressbar.ProgressBar }

func newBar(s streams, launches int, off bool) bar {
	if off || !terminal(s.Err) {
		return bar{}
	}
	return bar{progressbar.NewOptions(launches,
		progressbar.OptionSetWriter(s.Err),
		progressbar.OptionSetWidth(24),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)}
}

func (b bar) describe(text string) {
	if b.p != nil {
		b.p.Describe(text)
	}
}

// step and close draw on stderr; a bar that cannot be drawn is no reason to
// stop measuring.
func (b bar) step() {
	if b.p != nil {
		_ = b.p.Add(1)
	}
}

func (b bar) close() {
	if b.p != nil {
		_ = b.p.Clear()
	}
}

// watcher journals every finished trial and moves the bar.
type watcher struct {
	s       streams
	journal *result.Journal
	bar     bar
}

// Started implements scale.Observer.
func (w *watcher) Started(c scale.Cell, _, _ int) {
	w.bar.describe(fmt.Sprintf("%s %s %d GPU", c.Workload, c.Mode, c.Count))
}

// Done implements scale.Observer.
func (w *watcher) Done(c scale.Cell, t result.Trial, _, _ int) error {
	w.bar.step()
	for _, x := range t.Warnings {
		if x.Code == scale.Retried {
			w.s.say("amgpu: %s, %s, %d GPU: %s", c.Workload, c.Mode, c.Count, x.Text)
		}
	}
	err := w.journal.Append(t)
	if err == nil {
		keptOne()
	}
	return err
}
