package diagnose

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// tree writes a fake root. "file: content"; content "->target" makes a link.
func tree(t *testing.T, files map[string]string) System {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(content, "->"); ok {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return System{Root: root, Getenv: func(string) string { return "" }, Access: func(string) error { return nil }}
}

func with(s System, env map[string]string) System {
	s.Getenv = func(name string) string { return env[name] }
	return s
}

// content of a file of this machine.
func content(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// testBinary is this test itself: an ELF file of the right architecture that
// needs no library (the package uses no cgo).
func testBinary(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return content(t, path)
}

func merge(maps ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range maps {
		for k, v := range m {
			if v == "-" {
				delete(out, k)
			} else {
				out[k] = v
			}
		}
	}
	return out
}

const pci = "sys/bus/pci/devices/0000:01:00.0/"

func h100(driver string) map[string]string {
	m := map[string]string{pci + "class": "0x030200\n", pci + "vendor": "0x10de\n", pci + "device": "0x2330\n",
		"dev/nvidiactl": "", "dev/nvidia0": ""}
	if driver != "" {
		m[pci+"driver"] = "->../../../bus/pci/drivers/" + driver
	}
	return m
}

var nvidiaManifest = map[string]string{"usr/share/vulkan/icd.d/nvidia_icd.json": `{"ICD": {"library_path": "libGLX_nvidia.so.0", "api_version": "1.4"}}`}

func TestCheck(t *testing.T) {
	self := testBinary(t)
	// The shell stands for a library that needs the C library.
	library := map[string]string{"usr/lib64/libGLX_nvidia.so.0": content(t, "/bin/sh")}
	deps := map[string]string{"usr/lib64/libc.so.6": self}
	amd := map[string]string{
		"sys/bus/pci/devices/0000:03:00.0/class":          "0x038000",
		"sys/bus/pci/devices/0000:03:00.0/vendor":         "0x1002",
		"sys/bus/pci/devices/0000:03:00.0/device":         "0x740f",
		"sys/bus/pci/devices/0000:03:00.0/driver":         "->/sys/bus/pci/drivers/amdgpu",
		"sys/bus/pci/devices/0000:03:00.0/drm/renderD128": "",
		"dev/dri/renderD128":                              "",
	}
	for _, c := range []struct {
		name   string
		files  map[string]string
		env    map[string]string
		shown  []string
		access error
		want   []string // codes
		text   string   // in one of the texts or fixes
	}{
		{name: "nothing", want: []string{"no-gpu"}, text: "--software 2"},
		{name: "nothing in a container", files: map[string]string{".dockerenv": ""}, want: []string{"no-gpu"}, text: "docker"},
		{name: "nothing in a virtual machine", files: map[string]string{"proc/cpuinfo": "flags\t: fpu hypervisor avx\n"}, want: []string{"no-gpu"}, text: "virtual machine"},
		{name: "all shown", files: h100("nvidia"), shown: []string{"0000:01:00.0"}, want: nil},
		{name: "no kernel driver", files: h100(""), want: []string{"no-kernel-driver"}, text: "0000:01:00.0 NVIDIA device 0x2330"},
		{name: "passed through", files: h100("vfio-pci"), want: []string{"passed-through"}},
		{name: "no manifest", files: h100("nvidia"), want: []string{"driver-missing"}, text: "libnvidia-gl"},
		{name: "container without graphics", files: merge(h100("nvidia"), map[string]string{".dockerenv": ""}),
			env: map[string]string{"NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}, want: []string{"container-capability"}, text: "NVIDIA_DRIVER_CAPABILITIES=all"},
		{name: "container with graphics", files: merge(h100("nvidia"), map[string]string{".dockerenv": ""}),
			env: map[string]string{"NVIDIA_DRIVER_CAPABILITIES": "compute,graphics"}, want: []string{"driver-missing"}},
		{name: "no device file", files: merge(h100("nvidia"), map[string]string{"dev/nvidia0": "-"}), want: []string{"no-device-file"}, text: "/dev/nvidia0"},
		{name: "no permission", files: amd, access: os.ErrPermission, want: []string{"permission"}, text: "/dev/dri/renderD128"},
		{name: "AMD without Mesa", files: amd, want: []string{"driver-missing"}, text: "mesa-vulkan-drivers"},
		{name: "library missing", files: merge(h100("nvidia"), nvidiaManifest), want: []string{"library", "driver-broken"}, text: "libGLX_nvidia.so.0 not found"},
		{name: "dependency missing", files: merge(h100("nvidia"), nvidiaManifest, library), want: []string{"library", "driver-broken"}, text: "needed by /usr/lib64/libGLX_nvidia.so.0"},
		{name: "loads but shows nothing", files: merge(h100("nvidia"), nvidiaManifest, library, deps), want: []string{"driver-silent"}},
		{name: "MIG", files: merge(h100("nvidia"), nvidiaManifest, library, deps, map[string]string{"proc/driver/nvidia/capabilities/gpu0/mig/gi1/access": ""}), want: []string{"mig"}},
		{name: "hidden by a variable", files: merge(h100("nvidia"), nvidiaManifest, library, deps), env: map[string]string{"VK_DRIVER_FILES": "/none.d"}, want: []string{"driver-hidden"}, text: "VK_DRIVER_FILES"},
		{name: "server console", files: map[string]string{pci + "class": "0x030000", pci + "vendor": "0x1a03"}, want: []string{"no-gpu"}},
		{name: "malformed manifest", files: merge(h100("nvidia"), map[string]string{"etc/vulkan/icd.d/x.json": "{"}), shown: []string{"0000:01:00.0"}, want: []string{"manifest"}, text: "/etc/vulkan/icd.d/x.json"},
		{name: "empty manifest", files: map[string]string{"etc/vulkan/icd.d/x.json": "{}"}, shown: []string{"0000:01:00.0"}, want: []string{"manifest"}, text: "library_path"},
		{name: "damaged library", files: merge(nvidiaManifest, map[string]string{"usr/lib64/libGLX_nvidia.so.0": "no ELF"}), shown: []string{"0000:01:00.0"}, want: []string{"library"}},
		{name: "manifest of another architecture", files: merge(nvidiaManifest, map[string]string{"usr/lib64/libGLX_nvidia.so.0": otherArch(self)}), shown: []string{"0000:01:00.0"}, want: nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := with(tree(t, c.files), c.env)
			s.Access = func(string) error { return c.access }
			got := s.Check(c.shown)
			var codes, texts []string
			for _, p := range got {
				codes = append(codes, p.Code)
				texts = append(texts, p.Subject, p.Text, p.Fix)
				if p.Subject == "" || p.Text == "" || p.Fix == "" {
					t.Errorf("incomplete problem %+v", p)
				}
			}
			if strings.Join(codes, " ") != strings.Join(c.want, " ") {
				t.Errorf("problems %v, want %v\n%s", codes, c.want, strings.Join(texts, "\n"))
			}
			if !strings.Contains(strings.Join(texts, "\n"), c.text) {
				t.Errorf("nothing says %q:\n%s", c.text, strings.Join(texts, "\n"))
			}
		})
	}
}

// otherArch changes the machine field of an ELF file.
func otherArch(file string) string {
	raw := []byte(file)
	raw[18], raw[19] = 8, 0 // EM_MIPS
	return string(raw)
}

func TestSearchPath(t *testing.T) {
	self := testBinary(t)
	s := tree(t, map[string]string{
		"etc/ld.so.conf":          "include ld.so.conf.d/*.conf\n",
		"etc/ld.so.conf.d/x.conf": "# drivers\n/opt/driver/lib\n",
		"opt/driver/lib/liba.so":  self,
	})
	if _, ok, _ := s.find("liba.so", s.libraryPaths()); !ok {
		t.Error("a folder of ld.so.conf.d is not searched")
	}
	s = with(s, map[string]string{"LD_LIBRARY_PATH": "/own"})
	if got := s.libraryPaths()[0]; got != "/own" {
		t.Errorf("first folder %q, want that of LD_LIBRARY_PATH", got)
	}
}

func TestThisMachine(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Fatal("unsupported architecture")
	}
	// Whatever this machine has, the walk must end and every finding be whole.
	for _, p := range (System{}).Check(nil) {
		if p.Code == "" || p.Text == "" || p.Fix == "" {
			t.Errorf("incomplete problem %+v", p)
		}
	}
	if err := (System{}).access("/proc/self/status/none"); err == nil || errors.Is(err, os.ErrInvalid) {
		t.Errorf("access of an absent file: %v", err)
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(`{"ICD": {"library_path": "libGLX_nvidia.so.0"}}`)
	f.Add(`{"ICD": {"library_path": "../x.so"}}`)
	f.Add(`{"ICD": null}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if d, err := (System{}).manifest(path); err == nil && d.library == "" {
			t.Fatal("accepted without a library")
		}
	})
}
