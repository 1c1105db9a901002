package html_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
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

// seen is what a visit to pages left behind.
type seen struct {
	requests []string // paths asked of the test's server
	console  []string // lines the console printed
	dom      string
}

// visit opens path on a server of pages; no other host can be reached.
func visit(t *testing.T, pages map[string]string, path string, dark bool) seen {
	t.Helper()
	var s seen
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		s.requests = append(s.requests, r.URL.Path)
		mu.Unlock()
		text, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, text)
	}))
	defer server.Close()
	scheme := "1"
	if dark {
		scheme = "0"
	}
	cmd := exec.Command(browser(t), "--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--disable-background-networking", "--disable-component-update", "--no-first-run", "--window-size=1400,900",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--blink-settings=preferredColorScheme="+scheme,
		"--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom", server.URL+path)
	var out, log strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	s.dom = out.String()
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "CONSOLE") && !strings.Contains(line, "favicon") {
			s.console = append(s.console, line)
		}
	}
	return s
}

// frames is a page that shows the report at several widths and measures it.
const frames = `<!DOCTYPE html><link rel="icon" href="data:,"><body><script>
const widths = [360, 390, 768, 1280], out = [];
for (const w of widths) {
  const f = document.createElement('iframe');
  f.style.width = w + 'px'; f.style.height = '800px'; f.src = '/report.html';
  document.body.append(f);
}
const parse = c => { const m = c.match(/[\d.]+/g).map(Number); return m.length > 3 && m[3] === 0 ? null : m; };
const lum = c => { const [r, g, b] = c.slice(0, 3).map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126*r + .7152*g + .0722*b; };
function behind(e, view) {
  for (; e; e = e.parentElement) { const c = parse(view.getComputedStyle(e).backgroundColor); if (c) return c; }
  return [255, 255, 255];
}
onload = () => {
  for (const f of document.querySelectorAll('iframe')) {
    const d = f.contentDocument, view = f.contentWindow;
    const r = {width: f.clientWidth, scroll: d.documentElement.scrollWidth, faint: [], paper: view.getComputedStyle(d.body).backgroundColor,
      unreachable: [...d.querySelectorAll('.scroll')].filter(e => e.tabIndex !== 0 || !e.getAttribute('aria-label')).length,
      figures: d.querySelectorAll('figure svg[role=img]').length, tables: d.querySelectorAll('table').length, text: 0};
    for (const e of d.querySelectorAll('body *')) {
      if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
      const s = view.getComputedStyle(e);
      const ink = parse(e instanceof view.SVGElement ? s.fill : s.color);
      if (!ink) continue;
      r.text++;
      const a = lum(ink), b = lum(behind(e, view));
      const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
      if (contrast < 4.5) r.faint.push(e.tagName + '.' + (e.className.baseVal ?? e.className) + ' ' + contrast.toFixed(2));
    }
    out.push(r);
  }
  document.body.replaceChildren(Object.assign(document.createElement('pre'), {id: 'out', textContent: JSON.stringify(out)}));
};
</script></body>`

// measured is what frames reports of one width.
type measured struct {
	Width       int      `json:"width"`
	Scroll      int      `json:"scroll"`
	Unreachable int      `json:"unreachable"`
	Figures     int      `json:"figures"`
	Tables      int      `json:"tables"`
	Text        int      `json:"text"`
	Faint       []string `json:"faint"`
	Paper       string   `json:"paper"`
}

// TestInBrowser opens the report in Chromium from phone to desktop width, light and
// dark: nothing else is asked for, the console stays empty, the page never scrolls
// sideways, every table can be reached by keyboard, and text is readable.
func TestInBrowser(t *testing.T) {
	papers := map[string]bool{}
	for _, name := range []string{"scaling", "hostile"} {
		pages := map[string]string{"/report.html": render(t, load(t, name)), "/": frames}
		for _, dark := range []bool{false, true} {
			s := visit(t, pages, "/", dark)
			if len(s.console) > 0 {
				t.Errorf("%s: the console says %q", name, s.console)
			}
			for _, r := range s.requests {
				if !slices.Contains([]string{"/", "/report.html", "/favicon.ico"}, r) {
					t.Errorf("%s: the page asked for %s", name, r)
				}
			}
			match := regexp.MustCompile(`(?s)<pre id="out">(.*?)</pre>`).FindStringSubmatch(s.dom)
			if match == nil {
				t.Fatalf("%s: nothing was measured: %.2000s", name, s.dom)
			}
			var all []measured
			if err := json.Unmarshal([]byte(html.UnescapeString(match[1])), &all); err != nil || len(all) != 4 {
				t.Fatal(err, match[1])
			}
			for _, m := range all {
				if m.Scroll > m.Width {
					t.Errorf("%s, dark %t: at %d px the page is %d px wide", name, dark, m.Width, m.Scroll)
				}
				if len(m.Faint) > 0 {
					t.Errorf("%s, dark %t: text of too little contrast: %v", name, dark, m.Faint)
				}
				if m.Unreachable > 0 || m.Figures == 0 || m.Tables == 0 || m.Text < 50 {
					t.Errorf("%s: %+v", name, m)
				}
				papers[m.Paper] = true
			}
		}
	}
	if len(papers) != 2 {
		t.Errorf("light and dark have papers %v", papers)
	}
}

// TestBrowserNotices is the control: what the test above looks for is seen when it
// is there. Under the page's own policy a load from outside is a console error.
func TestBrowserNotices(t *testing.T) {
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).FindString(render(t, load(t, "solo")))
	s := visit(t, map[string]string{"/": `<!DOCTYPE html><body><img src="/other.png"><script>nothing()</script>`}, "/", false)
	if !slices.Contains(s.requests, "/other.png") || !strings.Contains(strings.Join(s.console, ""), "nothing is not defined") {
		t.Errorf("unseen: requests %v, console %v", s.requests, s.console)
	}
	s = visit(t, map[string]string{"/": "<!DOCTYPE html><head>" + policy + `</head><body><img src="http://example.invalid/x.png"><script>nothing()</script>`}, "/", false)
	if log := strings.Join(s.console, ""); !strings.Contains(log, "example.invalid") || !strings.Contains(log, "script") || strings.Contains(log, "not defined") {
		t.Errorf("the policy does not hold: %v", s.console)
	}
}
