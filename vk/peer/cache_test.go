package peer

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/vk"
)

func gpuInfo(pci, driver string) *vk.Info {
	return &vk.Info{Name: "GPU", Type: "discrete", PCI: pci, DriverName: "driver", DriverVersion: driver}
}

// A link that was verified is known in the next process, for the same transport,
// direction, devices and drivers only.
func TestCacheRemembers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "links.json")
	a, b := gpuInfo("0000:01:00.0", "1"), gpuInfo("0000:02:00.0", "1")
	c := OpenCache(path)
	if c.knows(CUDA, a, b) {
		t.Error("an empty cache knows a link")
	}
	if !c.learn(CUDA, a, b, nil) || c.learn(Host, a, b, errors.New("no")) {
		t.Error("learnt the wrong things")
	}
	c.save()
	c = OpenCache(path)
	for _, test := range []struct {
		transport string
		from, to  *vk.Info
		want      bool
	}{
		{CUDA, a, b, true},
		{CUDA, b, a, false},
		{Host, a, b, false},
		{CUDA, gpuInfo(a.PCI, "2"), b, false},
		{CUDA, a, gpuInfo("0000:03:00.0", "1"), false},
	} {
		if got := c.knows(test.transport, test.from, test.to); got != test.want {
			t.Errorf("%s from %s (driver %s) to %s: known %v, want %v", test.transport, test.from.PCI, test.from.DriverVersion, test.to.PCI, got, test.want)
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".links-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files %v, %v", left, err)
	}
}

// What a changed kernel, another version or damage left behind counts for nothing;
// a place that cannot be written is no failure.
func TestCacheForgets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.json")
	a, b := gpuInfo("0000:01:00.0", "1"), gpuInfo("0000:02:00.0", "1")
	c := OpenCache(path)
	c.learn(CUDA, a, b, nil)
	c.save()
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"kernel":  strings.Replace(string(good), c.file.Kernel, "another kernel", 1),
		"version": strings.Replace(string(good), `"version": 1`, `"version": 99`, 1),
		"damaged": string(good[:len(good)/2]),
		"empty":   "",
	} {
		if text == string(good) {
			t.Fatalf("%s: nothing was changed", name)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if OpenCache(path).knows(CUDA, a, b) {
			t.Errorf("%s: the link is still known", name)
		}
	}
	c = OpenCache(filepath.Join(path, "below a file", "links.json"))
	c.learn(CUDA, a, b, nil)
	c.save()
	if !c.knows(CUDA, a, b) {
		t.Error("a cache that cannot be written forgets")
	}
}

// Software devices share every mark, so nothing of them is remembered.
func TestCacheLeavesSoftwareOut(t *testing.T) {
	c := OpenCache("")
	cpu := &vk.Info{Name: "llvmpipe", Type: "cpu"}
	if c.learn(Host, cpu, cpu, nil) || c.knows(Host, cpu, cpu) {
		t.Error("a link of software devices was remembered")
	}
}
