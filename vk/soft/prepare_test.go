package soft

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func driver(t *testing.T) finder {
	return fake(t, map[string]string{
		manifestDir + "lvp_icd.json": manifestOf("/lvp.so"),
		"lvp.so":                     "lib",
		"usr/lib/chromium/vk_swiftshader_icd.json": manifestOf("./libvk_swiftshader.so"),
		"usr/lib/chromium/libvk_swiftshader.so":    "lib",
	}, nil)
}

func TestPrepare(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("VK_DRIVER_FILES", "/before.json")
	t.Setenv("VK_LOADER_DRIVERS_DISABLE", "*lavapipe*")
	t.Setenv("LP_NUM_THREADS", "7")
	if err := os.Unsetenv("LP_NUM_THREADS"); err != nil { // Setenv above restores it at the end
		t.Fatal(err)
	}
	f := driver(t)
	cleanup, err := prepare(Spec{Lavapipe: 3, SwiftShader: 1}, f, 8)
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Split(os.Getenv("VK_DRIVER_FILES"), ":")
	if len(list) != 4 || os.Getenv("VK_ICD_FILENAMES") != os.Getenv("VK_DRIVER_FILES") {
		t.Errorf("drivers %q, for older loaders %q", os.Getenv("VK_DRIVER_FILES"), os.Getenv("VK_ICD_FILENAMES"))
	}
	if got := os.Getenv("LP_NUM_THREADS"); got != "2" {
		t.Errorf("%s threads a device, want 8 cores / 4 devices", got)
	}
	if v, ok := os.LookupEnv("VK_LOADER_DRIVERS_DISABLE"); ok {
		t.Errorf("the loader would leave out %s", v)
	}
	links := map[string]bool{}
	for i, m := range list {
		d, err := (finder{getenv: os.Getenv}).manifest(m)
		if err != nil {
			t.Fatal(err)
		}
		target, err := os.Readlink(d.library)
		if err != nil {
			t.Fatal(err)
		}
		want := f.path("lvp.so")
		if i == 3 {
			want = f.path("usr/lib/chromium/libvk_swiftshader.so")
		}
		if target != want || d.api != "1.3.230" {
			t.Errorf("%s leads to %s with API %s, want %s", m, target, d.api, want)
		}
		links[d.library] = true
	}
	if len(links) != 4 {
		t.Errorf("two devices share a library name: %v", links)
	}
	info, err := os.Stat(filepath.Dir(list[0]))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder %v, %v: others may read or write it", info, err)
	}

	cleanup()
	cleanup() // harmless
	if got := os.Getenv("VK_DRIVER_FILES"); got != "/before.json" {
		t.Errorf("VK_DRIVER_FILES is %q after cleanup", got)
	}
	if got := os.Getenv("VK_LOADER_DRIVERS_DISABLE"); got != "*lavapipe*" {
		t.Errorf("VK_LOADER_DRIVERS_DISABLE is %q after cleanup", got)
	}
	for _, name := range []string{"VK_ICD_FILENAMES", "LP_NUM_THREADS"} {
		if v, ok := os.LookupEnv(name); ok {
			t.Errorf("%s is left as %q", name, v)
		}
	}
	empty(t, tmp)
}

func TestPrepareGivesEveryDeviceOneThread(t *testing.T) {
	cleanup, err := prepare(Spec{Lavapipe: 5}, driver(t), 2)
	if err != nil {
		t.Fatal(err)
	}
	defer cleanup()
	if got := os.Getenv("LP_NUM_THREADS"); got != "1" {
		t.Errorf("%s threads a device", got)
	}
}

func TestPrepareFails(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("VK_DRIVER_FILES", "/before.json")
	for _, test := range []struct {
		name string
		spec Spec
		f    finder
		want error
	}{
		{"no lavapipe", Spec{Lavapipe: 1}, fake(t, nil, nil), ErrNoLavapipe},
		{"no swiftshader", Spec{SwiftShader: 1}, fake(t, nil, nil), ErrNoSwiftShader},
		{"empty", Spec{}, driver(t), ErrSpec},
		{"negative", Spec{Lavapipe: -1, SwiftShader: 3}, driver(t), ErrSpec},
		{"too many", Spec{Lavapipe: MaxDevices + 1}, driver(t), ErrSpec},
	} {
		if _, err := prepare(test.spec, test.f, 1); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	colon := filepath.Join(tmp, "a:b")
	if err := os.Mkdir(colon, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", colon)
	if _, err := prepare(Spec{Lavapipe: 1}, driver(t), 1); err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("a folder with a colon: %v", err)
	}
	empty(t, colon)
	t.Setenv("TMPDIR", filepath.Join(tmp, "gone"))
	if _, err := prepare(Spec{Lavapipe: 1}, driver(t), 1); err == nil {
		t.Error("no error without a temporary folder")
	}
	if got := os.Getenv("VK_DRIVER_FILES"); got != "/before.json" {
		t.Errorf("a failed Prepare left VK_DRIVER_FILES as %q", got)
	}
}

// The drivers installed on this machine are found: CI installs both.
func TestPrepareOnThisMachine(t *testing.T) {
	cleanup, err := Prepare(Spec{Lavapipe: 2})
	if err != nil {
		t.Fatal(err)
	}
	for m := range strings.SplitSeq(os.Getenv("VK_DRIVER_FILES"), ":") {
		if _, err := os.Stat(m); err != nil {
			t.Error(err)
		}
	}
	cleanup()
}

func empty(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "amgpu-soft-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
