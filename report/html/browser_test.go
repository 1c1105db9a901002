package html_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// browser finds a Chromium; without one these tests fail, they do not skip.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no Chromium found: install the package chromium")
	return ""
}

// measure looks at a page as it is shown: how wide it is, which text has too little
// contrast with what is behind it, what the keyboard cannot reach, which ids and
// labels are missing.
const measure = `(() => {
const parse = c => { const m = c.match(/[\d.]+/g)?.map(Number); return !m || m.length > 3 && m[3] === 0 ? null : m; };
const lum = c => { const [r, g, b] = c.slice(0, 3).map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126*r + .7152*g + .0722*b; };
function behind(e) {
  for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c) return c; }
  return [255, 255, 255];
}
for (const d of document.querySelectorAll('details')) d.open = true;
for (const s of document.querySelectorAll('.workload')) s.style.contentVisibility = 'visible';
const name = e => (e.getAttribute('aria-label') || e.textContent).trim().slice(0, 40);
// beyond tells what is wrong with a place that scrolls: its end is out of reach, nothing shows that it
// scrolls, or it shows a gap because only what is out of sight is that tall.
function beyond(e) {
  const at = e.getBoundingClientRect(), inside = e.firstElementChild, out = [];
  const gap = (bottom, seen) => { const low = Math.max(...seen.filter(r => r.width && r.left < at.right).map(r => r.bottom)); return innerWidth < 1000 && bottom - low > 28; };
  if (inside.matches('table') && [...inside.rows].some(row => gap(row.getBoundingClientRect().bottom,
    [...row.cells].map(c => { const r = document.createRange(); r.selectNodeContents(c); return r.getBoundingClientRect(); })))) out.push('gap');
  if (!inside.matches('table') && gap(inside.getBoundingClientRect().bottom, [...inside.querySelectorAll('text')].map(x => x.getBoundingClientRect()))) out.push('gap');
  if (e.scrollWidth > e.clientWidth) {
    if (e.offsetHeight - e.clientHeight < 6) out.push('no bar');
    const first = inside.matches('table') && inside.rows[0].cells[0].getBoundingClientRect().left;
    e.scrollLeft = 1e6;
    if (inside.getBoundingClientRect().right > at.right + 1) out.push('end out of reach');
    if (innerWidth < 500 && first !== false && inside.rows[0].cells[0].getBoundingClientRect().left < at.left - 1) out.push('first column gone');
    e.scrollLeft = 0;
  } else if (inside.getBoundingClientRect().right > at.right + 1) out.push('cut off');
  if (at.right > innerWidth) out.push('outside');
  return out.length ? [name(e) + ': ' + out.join(', ')] : [];
}
const r = {width: innerWidth, scroll: document.documentElement.scrollWidth, faint: [], text: 0, paper: getComputedStyle(document.body).backgroundColor,
  unreachable: [...document.querySelectorAll('.scroll, .pan')].filter(e => e.tabIndex !== 0 || !e.getAttribute('aria-label')).length,
  figures: document.querySelectorAll('figure svg[role=group][aria-label]').length, tables: document.querySelectorAll('table').length,
  unsortable: [...document.querySelectorAll('thead th')].filter(e => !e.querySelector('button')).length,
  twice: [...document.querySelectorAll('[id]')].map(e => e.id).filter((id, i, all) => all.indexOf(id) !== i),
  dangling: [...document.querySelectorAll('a[href^="#"]')].map(a => a.hash.slice(1)).filter(id => !document.getElementById(id)),
  beyond: [...document.querySelectorAll('.scroll, .pan')].flatMap(beyond),
  loose: [...document.querySelectorAll('table')].filter(e => !e.closest('.scroll, .pan')).map(name),
  tiny: [...document.querySelectorAll('main svg text')].map(e => [parseFloat(getComputedStyle(e).fontSize) * Math.hypot(e.getScreenCTM().a, e.getScreenCTM().b), e.textContent]).filter(s => s[0] < 10).map(s => s[1] + ' ' + s[0].toFixed(1)),
  clipped: [...document.querySelectorAll('figure > svg')].filter(s => s.getBoundingClientRect().right > innerWidth).length};
for (const e of document.querySelectorAll('body *')) {
  if (e.closest('title, script') || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
  const s = getComputedStyle(e);
  const ink = parse(e instanceof SVGElement ? s.fill : s.color);
  if (!ink) continue;
  r.text++;
  const a = lum(ink), b = lum(behind(e)), contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (!(e instanceof SVGElement) && parseFloat(s.fontSize) < 10) r.tiny.push(e.tagName + ' ' + s.fontSize);
  if (contrast < 4.5) r.faint.push(e.tagName + '.' + (e.className.baseVal ?? e.className) + ' ' + contrast.toFixed(2));
}
return r; })()`

// measured is what measure finds.
type measured struct {
	Width, Scroll, Unreachable, Unsortable, Figures, Tables, Text, Clipped int
	Faint, Twice, Dangling, Beyond, Loose, Tiny                            []string
	Paper                                                                  string
}

// TestInBrowser opens the reports in Chromium from phone to desktop width, light and
// dark: nothing else is asked for, the console stays empty, the page never scrolls
// sideways, every table can be reached and sorted by keyboard, and text is readable.
func TestInBrowser(t *testing.T) {
	papers := map[string]bool{}
	for name, page := range map[string]string{"rich": render(t, rich(t, "")), "hostile": render(t, load(t, "hostile")), "compared": compared(t)} {
		for _, dark := range []bool{false, true} {
			b := openPage(t, page, look{width: 1280, height: 900, dark: dark})
			for _, width := range []int{360, 390, 768, 1280} {
				b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false})
				var m measured
				b.eval(&m, "%s", measure)
				what := fmt.Sprintf("%s, dark %t, %d px", name, dark, width)
				if m.Scroll > m.Width || m.Width != width || m.Clipped > 0 {
					t.Errorf("%s: the page is %d px wide in a window of %d, %d plots are cut off", what, m.Scroll, m.Width, m.Clipped)
				}
				if len(m.Beyond) > 0 || len(m.Loose) > 0 || len(m.Tiny) > 0 {
					t.Errorf("%s: places that scroll: %q; tables outside of one: %q; letters below 10 px: %q", what, m.Beyond, m.Loose, m.Tiny)
				}
				if len(m.Faint) > 0 {
					t.Errorf("%s: text of too little contrast: %v", what, m.Faint)
				}
				if m.Unreachable > 0 || m.Unsortable > 0 || len(m.Twice) > 0 || len(m.Dangling) > 0 {
					t.Errorf("%s: %d places and %d headings out of reach, ids twice %v, links to nothing %v", what, m.Unreachable, m.Unsortable, m.Twice, m.Dangling)
				}
				if m.Figures == 0 || m.Tables == 0 || m.Text < 50 {
					t.Errorf("%s: %+v", what, m)
				}
				papers[m.Paper] = true
			}
			if len(b.errors) > 0 {
				t.Errorf("%s: the console says %q", name, b.errors)
			}
			for _, r := range b.requests {
				if !strings.HasPrefix(r, "file://") || !strings.HasSuffix(r, "/report.html") {
					t.Errorf("%s: the page asked for %.80s", name, r)
				}
			}
		}
	}
	if len(papers) != 2 {
		t.Errorf("light and dark have papers %v", papers)
	}
}

// TestBrowserNotices is the control: what the test above looks for is seen when it
// is there, and under the page's own policy nothing foreign runs or loads.
func TestBrowserNotices(t *testing.T) {
	bad := `<img src="http://example.invalid/x.png"><script>nothing()</script><p style="color:#888;background:#999">faint</p><p style="width:3000px">wide</p><img src=x onerror="nothing()">
<main><div class="scroll" style="width:200px;overflow-x:hidden"><table><tr><td><div style="width:900px">a<td>b<br>b<br>b<br>b<br>b<br>b</table></div><table><tr><td>loose</table><svg width="100" height="50" viewBox="0 0 200 100"><text y="50" font-size="15">tiny</text></svg></main>`
	b := openPage(t, "<!DOCTYPE html><title>x</title>"+bad, look{width: 800, height: 600})
	var m measured
	b.eval(&m, "%s", measure)
	if len(m.Loose) != 1 || len(m.Tiny) != 1 || len(m.Beyond) != 1 || !strings.HasSuffix(m.Beyond[0], ": gap, no bar") {
		t.Errorf("unseen: loose %q, tiny %q, beyond %q", m.Loose, m.Tiny, m.Beyond)
	}
	if len(m.Faint) != 1 || m.Scroll < 3000 || !strings.Contains(strings.Join(b.errors, ""), "nothing is not defined") || !strings.Contains(strings.Join(b.requests, " "), "example.invalid") {
		t.Errorf("unseen: %+v, %v, %q", m, b.requests, b.errors)
	}
	page := render(t, load(t, "solo"))
	b = openPage(t, strings.Replace(page, "<main>", "<main>"+bad, 1), look{width: 800, height: 600})
	log := strings.Join(b.errors, "")
	if strings.Contains(log, "not defined") || !strings.Contains(log, "violates the following Content Security Policy") {
		t.Errorf("the policy does not hold: %s", log)
	}
	var sortable int
	b.eval(&sortable, "document.querySelectorAll('.sort').length")
	if sortable == 0 {
		t.Error("the page's own script did not run")
	}
}

// TestWithoutScripts: everything is there to be read and saved.
func TestWithoutScripts(t *testing.T) {
	b := openPage(t, render(t, rich(t, "")), look{width: 1280, height: 900, noScript: true})
	var doc struct {
		Root struct {
			NodeID int `json:"nodeId"`
		} `json:"root"`
	}
	b.into(b.call("DOM.getDocument", nil), &doc)
	count := func(selector string) int {
		var all struct {
			NodeIDs []int `json:"nodeIds"`
		}
		b.into(b.call("DOM.querySelectorAll", map[string]any{"nodeId": doc.Root.NodeID, "selector": selector}), &all)
		return len(all.NodeIDs)
	}
	if count(".sort") > 0 || count(".data button") > 0 {
		t.Error("there are buttons that do nothing")
	}
	if count(".marks title") < 100 || count("figure svg[role=group]") < 20 || count(`a[download="results.json.gz"]`) != 1 {
		t.Errorf("%d values, %d plots", count(".marks title"), count("figure svg[role=group]"))
	}
}

// TestWideTables: from a desktop's width on every column of the rows is in sight, also
// with clocks, energy, status and notes; on a phone they are scrolled to.
func TestWideTables(t *testing.T) {
	res := rich(t, "")
	for i := range res.Trials {
		tr := &res.Trials[i]
		tr.Energy = &result.Energy{Joules: 100 * float64(tr.Count), Seconds: 0.4}
		for range tr.Devices {
			tr.Clocks = append(tr.Clocks, 1.98e9)
		}
	}
	b := openPage(t, render(t, res), look{width: 1280, height: 900})
	for width, all := range map[int]bool{390: false, 1400: true, 1920: true} {
		b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false})
		var seen struct {
			Tables, Cut int
			Columns     string
		}
		b.eval(&seen, `(() => { for (const s of document.querySelectorAll('.workload')) s.style.contentVisibility = 'visible';
			const all = [...document.querySelectorAll('.workload > .scroll')];
			return {tables: all.length, cut: all.filter(e => e.scrollWidth > e.clientWidth + 1).length, columns: all.map(e => e.querySelector('thead').innerText).join(' ')}; })()`)
		if (seen.Cut == 0) != all || seen.Tables < 4 {
			t.Errorf("%d px: %d of %d tables are cut", width, seen.Cut, seen.Tables)
		}
		for _, column := range []string{"lost to", "clock", "energy", "status", "notes"} {
			if !strings.Contains(seen.Columns, column) {
				t.Errorf("no column %q in %q", column, seen.Columns)
			}
		}
	}
}
