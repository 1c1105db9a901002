package cmd

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// configured is `amgpu scale` after it has read a file.
func configured(t *testing.T, text string) (*cobra.Command, []string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "amgpu.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var ran bool
	var patient atomic.Bool
	c, _, err := newRoot(streams{&bytes.Buffer{}, &bytes.Buffer{}}, &ran, &patient).Find([]string{"scale"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Flags().Set("config", path); err != nil {
		t.Fatal(err)
	}
	workloads, err := fill(c)
	return c, workloads, err
}

// The example of the documentation is read, and what it sets passes every check that
// needs no device.
func TestDocumentedConfig(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/configuration.md has no example")
	}
	c, workloads, err := configured(t, example)
	if err != nil {
		t.Fatal(err)
	}
	if len(workloads) != 3 {
		t.Errorf("workloads %v", workloads)
	}
	for name, want := range map[string]string{"gpus": "1,2,4", "mode": "strong,weak", "device": "[*H100*]", "memory-pool": "16GiB",
		"sync-timeout": "30s", "max-temperature": "85", "format": "html,md", "telemetry": "true", "retries": "3"} {
		if got := c.Flags().Lookup(name).Value.String(); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	r := recoveryFlags{memoryPool: "16GiB", syncTimeout: "30s", retryWait: "500ms", retries: 3, maxTemperature: 85, maxMemory: "95%"}
	l, err := r.limits()
	if err != nil || l.memory != 16<<30 || l.sync != 30*time.Second || l.heat != 85 || l.memoryUse != 0.95 || l.recovery.Backoff != 500*time.Millisecond {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestOtherNames(t *testing.T) {
	c, _, err := configured(t, "max_devices: 3\ndevice_filter: [a, b]\nload_balancing_strategy: equal\nmemory_pool_size_mb: 512\nsync_timeout_ms: 2500\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"max-devices": "3", "device": "[a,b]", "strategy": "equal", "memory-pool": "512MiB", "sync-timeout": "2500ms"} {
		if got := c.Flags().Lookup(name).Value.String(); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// The command line outweighs a variable, a variable the file.
func TestPrecedence(t *testing.T) {
	t.Setenv("AMGPU_SEED", "7")
	c, _, err := configured(t, "seed: 8\nlaunches: 9\n")
	if err != nil || c.Flags().Lookup("seed").Value.String() != "7" || c.Flags().Lookup("launches").Value.String() != "9" {
		t.Errorf("%v", err)
	}
}

func TestUnknownNames(t *testing.T) {
	for text, want := range map[string]string{
		"seed: 1\nstratgy: equal\n": `line 2: ` + "`amgpu scale`" + ` has no setting "stratgy": did you mean strategy?`,
		"worklods: [a/b]\n":         "did you mean workloads?", "sync_timeout_s: 1\n": "did you mean sync-timeout?",
		"config: x\n": `has no setting "config"`, "zzzzzzzzzz: 1\n": `has no setting "zzzzzzzzzz": there is workloads, algorithm, `,
		"seed: 1\ncarpets: 3\n": `amgpu.yaml: line 2: ` + "`amgpu scale`" + ` has no setting "carpets": there is workloads, algorithm, `,
		"carpets: {a: 3}\n":     `line 1: ` + "`amgpu scale`" + ` has no setting "carpets": there is `,
		"seed\n":                "line 1: expected settings as `name: value`, each on a line of its own: there is workloads, algorithm, ",
		"- seed: 1\n":           "line 1: expected settings as `name: value`", "[seed]: 1\n": "line 1: expected the name of a setting before the colon: there is workloads, ",
		"seed: x\n": `line 1: seed: "x": use a whole number, 0 or more`, "seed: [1, 2]\n": `line 1: seed: "1,2": use a whole number`,
		"sync_timeout: 1s\nsync-timeout: 2s\n": "line 2: sync-timeout: already set in line 1", "device: a\ndevice_filter: b\n": "line 2: device_filter: already set in line 1",
		"workloads:\n": "line 1: workloads: it has no value", "workloads: {a: b}\n": "line 1: workloads: expected a value or a list", "seed: 1\nworkloads: 3\n": `line 2: workloads: unknown workload "3"`,
		"device: 'a\"b'\n": `line 1: device: "a\"b": quotes must`,
	} {
		if _, _, err := configured(t, text); err == nil || codeFor(err) != codeUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for name, bad := range map[string]bool{"AMGPU_STRATEGY": false, "AMGPU_STRATGY": true, "AMGPU_VISIBLE_DEVICE": true, "AMGPU_BUILD_NUMBER": false, "AMGPUS": false} {
		if err := unknownEnv(commands(), []string{"HOME=/", name + "=x"}); (err != nil) != bad {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every setting refuses what it cannot be: the error has the line, the name and what it takes.
func TestSettingsOfAnotherKind(t *testing.T) {
	c, _, err := configured(t, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range settingNames(c) {
		bad := map[string]string{"{a: 1}": "expected a value or a list of values", "[[1]]": "expected a list of plain values", "": "has no value", "''": "has no value", "[a, ~]": "has no value"}
		if f := c.Flags().Lookup(name); f != nil {
			_, list := f.Value.(pflag.SliceValue)
			if !list {
				bad["[]"] = "has no value"
			}
			if kind := f.Value.Type(); kind != "string" && !list {
				bad["zebra"] = map[string]string{"bool": "use true or false", "int": "use a whole number", "int64": "use a whole number", "uint64": "use a whole number", "float64": "use a number"}[kind]
			}
		}
		for value, want := range bad {
			_, _, err := configured(t, "\n"+name+": "+value+"\n")
			if err == nil || codeFor(err) != codeUsage || want == "" || !strings.Contains(err.Error(), "amgpu.yaml: line 2: "+name+": ") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "strconv") {
				t.Errorf("%s: %s: %v, want %q", name, value, err, want)
			}
		}
	}
}

// What is found wrong only later says where it was set, and nothing does of what was not.
func TestSettingIsPlaced(t *testing.T) {
	c, _, err := configured(t, "\nmax-memory: 95%\nmax-temperature: 85\n")
	if err != nil {
		t.Fatal(err)
	}
	hinted := &exitError{code: codeUsage, err: errors.New("--max-temperature 3: no"), hint: "try"}
	if got := placed(c, hinted); !strings.HasSuffix(got.Error(), "amgpu.yaml, line 3") || hintFor(got) != "try" || codeFor(got) != codeUsage {
		t.Errorf("%v", got)
	}
	for _, err := range []error{nil, usage("--max-power 3"), usage("--max-memory-x 3"), errors.New("--max-memory"), usage("--max: 3")} {
		if got := placed(c, err); got != err { //nolint:errorlint // the same error, not one around it
			t.Errorf("%v became %v", err, got)
		}
	}
	if got := placed(c, usage("use less than --max-memory")); !strings.HasSuffix(got.Error(), "line 2") {
		t.Errorf("%v", got)
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]uint64{"1": 1, "4GiB": 4 << 30, "1.5Gi": 3 << 29, "512MiB": 512 << 20, "2 GB": 2e9, "3k": 3000, "7B": 7} {
		if got, err := parseBytes(text); err != nil || got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "B", "GiB", "-1", "0", "much", "1e40", "NaN", "1Xi"} {
		if v, err := parseBytes(text); err == nil {
			t.Errorf("%q is %d", text, v)
		}
	}
}
