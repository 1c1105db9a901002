//go:build long

package html_test

import (
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// TestOpens: the report of 10,000 trials is loaded and laid out in less than a second.
// Two results: few rows of many launches, and many rows.
func TestOpens(t *testing.T) {
	for name, res := range map[string]*result.Result{"80 rows": many(t, 10, 125, 12), "1440 rows": many(t, 180, 7, 12)} {
		if len(res.Trials) < 10000 {
			t.Fatalf("%s: %d trials", name, len(res.Trials))
		}
		page := render(t, res)
		b := openPage(t, page, look{width: 1280, height: 900})
		// A second load, so that the start of the browser's processes is not measured.
		b.call("Page.reload", nil)
		b.wait("Page.loadEventFired")
		var at struct{ Interactive, Loaded, Painted float64 }
		b.eval(&at, `new Promise(done => requestAnimationFrame(() => setTimeout(() => { const n = performance.getEntriesByType('navigation')[0];
			done({interactive: n.domInteractive, loaded: n.loadEventEnd, painted: performance.now()}); })))`)
		t.Logf("%s, %d trials, %d bytes: interactive after %.0f ms, loaded after %.0f ms", name, len(res.Trials), len(page), at.Interactive, at.Loaded)
		if at.Loaded >= 1000 {
			t.Errorf("%s: loaded after %.0f ms", name, at.Loaded)
		}
	}
}
