package soft

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fake is a root folder with files; the content "lib" stands for a library this
// program can load, "foreign" for one of another architecture.
func fake(t *testing.T, files map[string]string, env map[string]string) finder {
	t.Helper()
	root := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		switch content {
		case "lib":
			err = os.Symlink(self, path)
		case "foreign":
			err = os.WriteFile(path, foreign(t), 0o600)
		default:
			err = os.WriteFile(path, []byte(content), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return finder{root: root, getenv: func(name string) string { return strings.ReplaceAll(env[name], "ROOT", root) }}
}

// foreign is the header of a 64-bit library for a machine Go does not run on.
func foreign(t *testing.T) []byte {
	t.Helper()
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_VAX), Version: uint32(elf.EV_CURRENT), Ehsize: 64}
	copy(h.Ident[:], elf.ELFMAG+string([]byte{byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)}))
	var b strings.Builder
	if err := binary.Write(&b, binary.LittleEndian, h); err != nil {
		t.Fatal(err)
	}
	return []byte(b.String())
}

const manifestDir = "usr/share/vulkan/icd.d/"

func manifestOf(library string) string {
	return `{"file_format_version": "1.0.0", "ICD": {"library_path": "` + library + `", "api_version": "1.3.230"}}`
}

func TestFindLavapipe(t *testing.T) {
	tests := []struct {
		name   string
		files  map[string]string
		env    map[string]string
		want   string // library below the root
		reason string // part of the error
	}{
		{"absolute path", map[string]string{manifestDir + "lvp_icd.x86_64.json": manifestOf("/opt/mesa/liblvp.so"), "opt/mesa/liblvp.so": "lib"}, nil, "opt/mesa/liblvp.so", ""},
		{"relative path", map[string]string{manifestDir + "lvp_icd.json": manifestOf("../lib/liblvp.so"), "usr/share/vulkan/lib/liblvp.so": "lib"}, nil, "usr/share/vulkan/lib/liblvp.so", ""},
		{"bare name", map[string]string{"etc/vulkan/icd.d/lvp_icd.json": manifestOf("liblvp.so"), "usr/lib64/liblvp.so": "lib"}, nil, "usr/lib64/liblvp.so", ""},
		{"bare name in LD_LIBRARY_PATH", map[string]string{"etc/vulkan/icd.d/lvp_icd.json": manifestOf("liblvp.so"), "own/liblvp.so": "lib"}, map[string]string{"LD_LIBRARY_PATH": ":rel:ROOT/own"}, "own/liblvp.so", ""},
		{"data folder of the user", map[string]string{"nix/share/vulkan/icd.d/lvp_icd.json": manifestOf("/l.so"), "l.so": "lib"}, map[string]string{"XDG_DATA_DIRS": "/nix/share"}, "l.so", ""},
		{"other architecture first", map[string]string{
			manifestDir + "lvp_icd.i686.json": manifestOf("/a.so"), "a.so": "foreign",
			manifestDir + "lvp_icd.x86_64.json": manifestOf("/b.so"), "b.so": "lib",
		}, nil, "b.so", ""},
		{"only another architecture", map[string]string{manifestDir + "lvp_icd.i686.json": manifestOf("/a.so"), "a.so": "foreign"}, nil, "", "EM_VAX"},
		{"nothing", nil, nil, "", "apt-get install mesa-vulkan-drivers"},
		{"another driver only", map[string]string{manifestDir + "radeon_icd.json": manifestOf("/a.so"), "a.so": "lib"}, nil, "", "apt-get"},
		{"library missing", map[string]string{manifestDir + "lvp_icd.json": manifestOf("/gone.so")}, nil, "", "/gone.so does not exist"},
		{"library is text", map[string]string{manifestDir + "lvp_icd.json": manifestOf("/a.so"), "a.so": "hello, I am no library"}, nil, "", "bad magic"},
		{"malformed manifest", map[string]string{manifestDir + "lvp_icd.json": "{"}, nil, "", "lvp_icd.json: unexpected end"},
		{"empty manifest", map[string]string{manifestDir + "lvp_icd.json": "{}"}, nil, "", "names no library_path"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := fake(t, test.files, test.env)
			d, err := f.lavapipe()
			if test.want == "" {
				if !errors.Is(err, ErrNoLavapipe) || !strings.Contains(err.Error(), test.reason) {
					t.Errorf("got %v, %v; want ErrNoLavapipe with %q", d, err, test.reason)
				}
				return
			}
			if err != nil || d.library != filepath.Join(f.root, test.want) || d.api != "1.3.230" {
				t.Errorf("got %v, %v; want %s", d, err, test.want)
			}
		})
	}
}

func TestFindSwiftShader(t *testing.T) {
	files := map[string]string{
		"usr/lib/chromium/vk_swiftshader_icd.json": manifestOf("./libvk_swiftshader.so"),
		"usr/lib/chromium/libvk_swiftshader.so":    "lib",
	}
	f := fake(t, files, nil)
	d, err := f.swiftShader()
	if err != nil || d.library != f.path("usr/lib/chromium/libvk_swiftshader.so") {
		t.Errorf("got %v, %v", d, err)
	}
	// A folder that is named is the only one looked in.
	if d, err := fake(t, files, map[string]string{"AMGPU_SWIFTSHADER_DIR": "/elsewhere"}).swiftShader(); !errors.Is(err, ErrNoSwiftShader) {
		t.Errorf("got %v, %v; want ErrNoSwiftShader", d, err)
	}
	if _, err := fake(t, nil, nil).swiftShader(); !errors.Is(err, ErrNoSwiftShader) || !strings.Contains(err.Error(), "AMGPU_SWIFTSHADER_DIR") {
		t.Errorf("got %v", err)
	}
	delete(files, "usr/lib/chromium/libvk_swiftshader.so")
	if _, err := fake(t, files, nil).swiftShader(); !errors.Is(err, ErrNoSwiftShader) || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("got %v; want the missing library named", err)
	}
}
