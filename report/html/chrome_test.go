package html_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tab is a page in a headless Chromium that is driven over the DevTools protocol, by
// two pipes and without a port.
type tab struct {
	t       *testing.T
	in      *os.File
	out     *bufio.Reader
	number  int
	session string
	// requests are the addresses that the page asked for, errors what its console and
	// policy complained about.
	requests, errors []string
}

type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// look is how a page is shown.
type look struct {
	width, height int
	dark          bool
	noScript      bool
}

// openPage writes the page into a file and opens it.
func openPage(t *testing.T, page string, l look) *tab {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	b := launch(t)
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": l.width, "height": l.height, "deviceScaleFactor": 1, "mobile": l.width < 600})
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}, map[string]any{"name": "prefers-reduced-motion", "value": "reduce"}}})
	if l.noScript {
		b.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
	}
	b.call("Page.navigate", map[string]any{"url": "file://" + path})
	b.wait("Page.loadEventFired")
	return b
}

func launch(t *testing.T) *tab {
	t.Helper()
	toRead, toWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromRead, fromWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(browser(t), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir(),
		"--disable-background-networking", "--disable-component-update", "--no-first-run", "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank")
	cmd.ExtraFiles = []*os.File{toRead, fromWrite} // 3 and 4, as Chromium expects
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = toRead.Close(), fromWrite.Close() // the child has its own
	limit := time.AfterFunc(3*time.Minute, func() { _ = cmd.Process.Kill() })
	b := &tab{t: t, in: toWrite, out: bufio.NewReader(fromRead)}
	t.Cleanup(func() {
		b.session = ""
		b.call("Browser.close", nil)
		limit.Stop()
		_ = cmd.Wait() // ended by the call above
		_, _ = toWrite.Close(), fromRead.Close()
	})
	var target struct {
		TargetID  string `json:"targetId"`
		SessionID string `json:"sessionId"`
	}
	b.into(b.call("Target.createTarget", map[string]any{"url": "about:blank"}), &target)
	b.into(b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}), &target)
	b.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil)
	}
	return b
}

func (b *tab) into(raw json.RawMessage, v any) {
	b.t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		b.t.Fatalf("%v: %s", err, raw)
	}
}

// call sends a command and waits for its answer.
func (b *tab) call(method string, params any) json.RawMessage {
	b.t.Helper()
	b.number++
	command := map[string]any{"id": b.number, "method": method}
	if params != nil {
		command["params"] = params
	}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	raw, err := json.Marshal(command)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(raw, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		m := b.read()
		if m.ID != b.number {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		return m.Result
	}
}

// wait reads until an event.
func (b *tab) wait(method string) json.RawMessage {
	b.t.Helper()
	for {
		if m := b.read(); m.Method == method {
			return m.Params
		}
	}
}

func (b *tab) read() message {
	b.t.Helper()
	raw, err := b.out.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("Chromium ended: %v", err)
	}
	var m message
	b.into(raw[:len(raw)-1], &m)
	switch m.Method {
	case "Network.requestWillBeSent":
		var p struct {
			Request struct {
				URL string `json:"url"`
			} `json:"request"`
		}
		b.into(m.Params, &p)
		b.requests = append(b.requests, p.Request.URL)
	case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled":
		b.errors = append(b.errors, string(m.Params))
	}
	return m
}

// eval runs an expression, which may be a promise, and decodes its value into v.
func (b *tab) eval(v any, format string, args ...any) {
	b.t.Helper()
	expression := fmt.Sprintf(format, args...)
	var r struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	b.into(b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}), &r)
	if r.Exception != nil {
		b.t.Fatalf("%s: %s", expression, r.Exception)
	}
	if v != nil {
		b.into(r.Result.Value, v)
	}
}

func (b *tab) text(format string, args ...any) string {
	b.t.Helper()
	var s string
	b.eval(&s, format, args...)
	return s
}

// press presses keys by their names, one after another.
func (b *tab) press(keys ...string) {
	b.t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, " ": 32}
	for _, k := range keys {
		event := map[string]any{"type": "rawKeyDown", "key": k, "code": strings.ReplaceAll(k, " ", "Space"), "windowsVirtualKeyCode": codes[k]}
		if k == "Enter" || k == " " {
			event["type"], event["text"] = "keyDown", strings.ReplaceAll(k, "Enter", "\r")
		}
		b.call("Input.dispatchKeyEvent", event)
		event["type"] = "keyUp"
		b.call("Input.dispatchKeyEvent", event)
	}
}

// point is the middle of the first element that a selector finds, once it is in view
// and the events of the scrolling are over.
func (b *tab) point(selector string) (x, y float64) {
	b.t.Helper()
	var at []float64
	b.eval(&at, `(async () => { const e = document.querySelector(%q); e.scrollIntoView({block: 'center', behavior: 'instant'});
		for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
		const r = e.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`, selector)
	return at[0], at[1]
}

func (b *tab) hover(selector string) {
	b.t.Helper()
	x, y := b.point(selector)
	b.call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": x, "y": y})
}

func (b *tab) click(selector string) {
	b.t.Helper()
	x, y := b.point(selector)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1})
	}
}
