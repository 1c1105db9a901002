package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"
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
		"config: x\n": `has no setting "config"`, "zzzzzzzzzz: 1\n": `has no setting "zzzzzzzzzz"; settings`, "seed: x\n": "line 1: seed: ",
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
