package html_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
)

// TestClickThrough uses the page as people do: sorts tables by mouse and keyboard,
// reads values off plots and maps, jumps by the links, folds, prints and saves.
func TestClickThrough(t *testing.T) {
	b := openPage(t, render(t, rich(t, "")), look{width: 1280, height: 900})
	t.Run("links", func(t *testing.T) {
		var all []string
		b.eval(&all, "[...document.querySelectorAll('nav a, .card h3 a')].map(a => a.hash)")
		if len(all) < 12 {
			t.Errorf("only %v", all)
		}
		for _, hash := range all {
			b.click("nav a[href='" + hash + "'], .card h3 a[href='" + hash + "']")
			if got := b.text("location.hash"); got != hash {
				t.Errorf("clicking %s led to %s", hash, got)
			}
		}
	})
	t.Run("sorting", func(t *testing.T) { sorting(t, b) })
	t.Run("values", func(t *testing.T) { values(t, b) })
	t.Run("heat map", func(t *testing.T) {
		b.hover(".heat tr:nth-child(3) td:nth-child(7)")
		if tip := b.text("document.querySelector('.tip').textContent"); !strings.HasPrefix(tip, "GPU 2 to GPU 5: 110 GB/s; cuda") || !strings.Contains(tip, "slower than links of its kind") {
			t.Errorf("the map says %q", tip)
		}
		b.eval(nil, "document.querySelector('.heat [tabindex=\"0\"]').focus()")
		b.press("ArrowDown", "ArrowRight", "ArrowRight")
		if said := b.text("document.activeElement.dataset.says"); !strings.HasPrefix(said, "GPU 1 to GPU 2") {
			t.Errorf("the arrow keys lead to %q", said)
		}
	})
	t.Run("printing", func(t *testing.T) {
		var before, during, after int
		b.eval(&before, "document.querySelectorAll('details[open]').length")
		b.eval(&during, "dispatchEvent(new Event('beforeprint')), document.querySelectorAll('details:not([open])').length")
		b.eval(&after, "dispatchEvent(new Event('afterprint')), document.querySelectorAll('details[open]').length")
		if during != 0 || before != after {
			t.Errorf("open %d, on paper folded %d, open after %d", before, during, after)
		}
		// On A4 with Chromium's margins nothing is cut at the edge.
		b.call("Emulation.setEmulatedMedia", map[string]any{"media": "print"})
		b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 718, "height": 1000, "deviceScaleFactor": 1, "mobile": false})
		var cut []string
		b.eval(&cut, `dispatchEvent(new Event('beforeprint')), [...document.querySelectorAll('table, svg, p, dd')].filter(e => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + ' ' + e.textContent.trim().slice(0, 50) + ' ' + e.getBoundingClientRect().right)`)
		if len(cut) > 0 {
			t.Errorf("cut at the edge of the paper: %q", cut)
		}
		b.eval(nil, "dispatchEvent(new Event('afterprint'))")
		b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": false})
		b.call("Emulation.setEmulatedMedia", map[string]any{"media": ""})
		if pdf := b.call("Page.printToPDF", nil); len(pdf) < 50000 {
			t.Errorf("a print of %d bytes", len(pdf))
		}
	})
	t.Run("saving", func(t *testing.T) { saving(t, b) })
	if len(b.errors) > 0 {
		t.Errorf("the console says %q", b.errors)
	}
}

func sorting(t *testing.T, b *tab) {
	column := func(n string) string {
		return b.text("[...document.querySelector('#w1 tbody').rows].map(r => r.cells[%s].textContent).join('|')", n)
	}
	as := column("3")
	const head = "#w1 thead th:nth-child(4) button"
	b.click(head)
	if got := column("3"); got != "1.11 ms ±0.2 %|2.12 ms ±1.5 %|4.15 ms ±1.3 %|8.13 ms ±1.6 %" {
		t.Errorf("ascending: %s", got)
	}
	b.press("Enter") // the button has the focus
	if got := column("3"); !strings.HasPrefix(got, "8.13 ms") || b.text("document.querySelector('#w1 thead th:nth-child(4)').getAttribute('aria-sort')") != "descending" {
		t.Errorf("descending: %s", got)
	}
	b.press("Enter")
	if got := column("3"); got != as {
		t.Errorf("as it was: %s, not %s", got, as)
	}
	// Numbers are sorted as numbers whatever their prefixes, and what is missing is last.
	b.click("#w1 thead th:nth-child(3) button")
	if got := column("2"); got != "128Mi|256Mi|512Mi|1Gi" {
		t.Errorf("by size: %s", got)
	}
	weak := "[...document.querySelectorAll('#w1 table')].find(t => t.textContent.includes('unsupported'))"
	b.eval(nil, "%s.querySelector('thead th:nth-child(6) button').click()", weak)
	b.eval(nil, "%s.querySelector('thead th:nth-child(6) button').click()", weak)
	if got := b.text("[...%s.tBodies[0].rows].map(r => r.cells[0].textContent).join('|')", weak); got != "4|2|1|8" {
		t.Errorf("descending with a row that was not measured: %s", got)
	}
}

func values(t *testing.T, b *tab) {
	tip := func() string {
		return b.text("document.querySelector('.tip').hidden ? '' : document.querySelector('.tip').textContent")
	}
	b.hover("#w2 .marks circle:nth-child(4)")
	if got := tip(); !strings.HasPrefix(got, "strong, 8 GPUs: speedup 7.5") || !strings.Contains(got, "(95\u00a0%: ") {
		t.Errorf("hovering says %q", got)
	}
	b.press("Escape")
	if tip() != "" {
		t.Error("Escape leaves the value there")
	}
	// By keyboard: the first point of a plot is the only one in the order of Tab.
	var stops int
	b.eval(&stops, "document.querySelector('#w2 .marks').querySelectorAll('[tabindex]').length")
	b.eval(nil, "document.querySelector('#w2 figure:first-child .marks [tabindex=\"0\"]').focus()")
	first := tip()
	b.press("ArrowRight", "ArrowRight")
	third := tip()
	label := b.text("document.activeElement.getAttribute('role') + ': ' + document.activeElement.getAttribute('aria-label')")
	b.press("End")
	if stops != 1 || !strings.HasPrefix(first, "strong, 1 GPU:") || !strings.HasPrefix(third, "strong, 4 GPUs:") || label != "img: "+third || !strings.HasPrefix(tip(), "weak, 8 GPUs:") {
		t.Errorf("%d stops; first %q, third %q (%s), last %q", stops, first, third, label, tip())
	}
	var stroke string
	b.eval(&stroke, "getComputedStyle(document.activeElement).strokeWidth + getComputedStyle(document.activeElement).stroke")
	if strings.HasSuffix(stroke, "none") {
		t.Error("the focus cannot be seen")
	}
	b.press("Tab")
	if got := tip(); !strings.HasPrefix(got, "strong, 1 GPU: efficiency 100.0") {
		t.Errorf("Tab leads to %q, not to the next plot", got)
	}
	b.press("Tab")
	if tip() != "" {
		t.Error("the value stays when the focus is gone")
	}
	for selector, want := range map[string]string{"#w2 .wide .marks rect:nth-child(2)": "GPU 0: compute tile, 471 µs from 704 µs on", "#roofline figure .marks circle:last-child": "FLOP/s at ",
		"#sensors figure .marks circle:nth-child(5)": "GHz", "#w3 svg[aria-label$=comodulogram] .marks rect": "modulation index (Tort)"} {
		b.hover(selector)
		if got := tip(); !strings.Contains(got, want) {
			t.Errorf("%s says %q", selector, got)
		}
	}
}

func saving(t *testing.T, b *tab) {
	dir := t.TempDir()
	b.call("Page.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": dir})
	b.click("#data [data-plain] button")
	b.click("#data a[download='summary.csv']")
	for name, check := range map[string]func(string) bool{
		"results.json": func(path string) bool {
			res, err := result.Read(path)
			return err == nil && len(res.Trials) == 224 && len(res.Links) == 56 && len(res.Summary) == 32
		},
		"summary.csv": func(path string) bool {
			raw, err := os.ReadFile(path)
			return err == nil && strings.Count(string(raw), "\n") == 33
		},
	} {
		path := filepath.Join(dir, name)
		for range 200 {
			if check(path) {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if !check(path) {
			t.Errorf("%s was not saved whole", name)
		}
	}
}

// TestHostileInBrowser: text from a result file is text wherever it stands.
func TestHostileInBrowser(t *testing.T) {
	const note = ` "><img src=x onerror="document.title='owned'"><script>document.title='owned'</script></title></style>'` + "\u202e\x1b[31m"
	res := rich(t, note)
	for i := range res.Trials {
		res.Trials[i].Workload += note
		res.Trials[i].Reason += note
	}
	res.Warnings = append(res.Warnings, result.Warning{Code: "x", Text: note})
	res.Host.CPU, res.Fingerprint, res.Command = note, note, []string{note}
	page := render(t, res)
	b := openPage(t, page, look{width: 1280, height: 900})
	b.hover("#sensors .marks rect")
	var n struct{ Images, Scripts, Handlers int }
	b.eval(&n, `({images: document.images.length, scripts: document.scripts.length, handlers: [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length})`)
	if n.Images != 0 || n.Scripts != 1 || n.Handlers != 0 || !strings.HasPrefix(b.text("document.title"), "amgpu report") || len(b.errors) > 0 {
		t.Errorf("%+v, title %q, %q", n, b.text("document.title"), b.errors)
	}
	if !strings.Contains(b.text("document.querySelector('.tip').textContent"), `power-cap "><img src=x`) {
		t.Errorf("the value is %q", b.text("document.querySelector('.tip').textContent"))
	}
	if strings.ContainsAny(dataLinks.ReplaceAllString(page, ""), "\u202e\x1b") {
		t.Error("control characters reach the page")
	}
}
