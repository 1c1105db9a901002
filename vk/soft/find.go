package soft

import (
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// icd is an installed driver.
type icd struct {
	library string // absolute path
	api     string // api_version of its manifest
}

// finder looks for drivers below root ("" is this machine).
type finder struct {
	root   string
	getenv func(string) string
}

func (f finder) path(parts ...string) string {
	return filepath.Join(append([]string{"/", f.root}, parts...)...)
}

// lavapipe finds Mesa's manifest lvp_icd.*.json in the loader's folders.
func (f finder) lavapipe() (icd, error) {
	dirs := []string{"/usr/share", "/etc", "/usr/local/share", "/usr/local/etc"}
	for dir := range strings.SplitSeq(f.getenv("XDG_DATA_DIRS"), ":") {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	var why []error
	for _, dir := range dirs {
		manifests, err := filepath.Glob(f.path(dir, "vulkan/icd.d", "lvp_icd*.json"))
		if err != nil {
			return icd{}, err
		}
		for _, m := range manifests {
			d, err := f.manifest(m)
			if err == nil {
				return d, nil
			}
			why = append(why, err)
		}
	}
	return icd{}, explain(ErrNoLavapipe, why)
}

// swiftShader finds the two files that Chromium and its relatives install.
func (f finder) swiftShader() (icd, error) {
	dirs := []string{
		"/usr/lib/chromium", "/usr/lib/chromium-browser", "/usr/lib64/chromium-browser", "/usr/lib64/chromium",
		"/opt/chromium.org/chromium", "/opt/google/chrome", "/opt/microsoft/msedge", "/opt/brave.com/brave",
	}
	if own := f.getenv("AMGPU_SWIFTSHADER_DIR"); own != "" {
		abs, err := filepath.Abs(own)
		if err != nil {
			return icd{}, fmt.Errorf("AMGPU_SWIFTSHADER_DIR: %w", err)
		}
		dirs = []string{abs}
	}
	var why []error
	for _, dir := range dirs {
		d, err := f.manifest(f.path(dir, "vk_swiftshader_icd.json"))
		if err == nil {
			return d, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			why = append(why, err)
		}
	}
	return icd{}, explain(ErrNoSwiftShader, why)
}

// explain adds what was found and why it cannot be used.
func explain(err error, why []error) error {
	if len(why) == 0 {
		return err
	}
	return fmt.Errorf("%w: %w", err, errors.Join(why...))
}

// manifest reads a driver manifest and resolves its library.
func (f finder) manifest(path string) (icd, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return icd{}, err
	}
	var m struct {
		ICD struct {
			Library string `json:"library_path"`
			API     string `json:"api_version"`
		} `json:"ICD"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return icd{}, fmt.Errorf("driver manifest %s: %w", path, err)
	}
	if m.ICD.Library == "" || m.ICD.API == "" {
		return icd{}, fmt.Errorf("driver manifest %s names no library_path or no api_version", path)
	}
	var candidates []string
	switch name := m.ICD.Library; {
	case filepath.IsAbs(name):
		candidates = []string{f.path(name)}
	case strings.Contains(name, "/"):
		candidates = []string{filepath.Join(filepath.Dir(path), name)}
	default: // searched by the dynamic linker
		for _, dir := range f.libraryDirs() {
			candidates = append(candidates, filepath.Join(dir, name))
		}
	}
	var why []error
	for _, c := range candidates {
		if err := loadable(c); err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				why = append(why, err)
			}
			continue
		}
		return icd{library: c, api: m.ICD.API}, nil
	}
	if len(why) > 0 {
		return icd{}, fmt.Errorf("driver manifest %s: %w", path, errors.Join(why...))
	}
	return icd{}, fmt.Errorf("driver manifest %s: its library %s does not exist", path, m.ICD.Library)
}

func (f finder) libraryDirs() []string {
	var dirs []string
	for dir := range strings.SplitSeq(f.getenv("LD_LIBRARY_PATH"), ":") {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	triplet := map[string]string{"amd64": "x86_64", "arm64": "aarch64", "386": "i386", "riscv64": "riscv64", "ppc64le": "powerpc64le", "loong64": "loongarch64"}[runtime.GOARCH] + "-linux-gnu"
	for _, dir := range []string{"/usr/local/lib/" + triplet, "/usr/local/lib", "/usr/lib/" + triplet, "/lib/" + triplet, "/usr/lib64", "/usr/lib", "/lib64", "/lib"} {
		dirs = append(dirs, f.path(dir))
	}
	return dirs
}

// machines are the ELF machines this program can load, by GOARCH.
var machines = map[string]elf.Machine{
	"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64, "386": elf.EM_386, "arm": elf.EM_ARM,
	"riscv64": elf.EM_RISCV, "ppc64le": elf.EM_PPC64, "loong64": elf.EM_LOONGARCH, "s390x": elf.EM_S390,
}

// loadable refuses a library of another architecture (multiarch systems have
// several manifests) and a file that is no library.
func loadable(path string) error {
	file, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("library %s: %w", path, err)
	}
	machine := file.Machine
	if err := file.Close(); err != nil {
		return err
	}
	if want, known := machines[runtime.GOARCH]; known && machine != want {
		return fmt.Errorf("library %s is for %s, this program for %s", path, machine, want)
	}
	return nil
}
