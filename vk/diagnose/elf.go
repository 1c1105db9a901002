package diagnose

import (
	"debug/elf"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// maxLibraries bounds the walk over a library's dependencies.
const maxLibraries = 400

// loadable tells whether a library and everything it needs can be found, by
// the rules of the dynamic linker but without running any code. arch is false
// when the library is of another architecture; broken says what is missing.
func (s System) loadable(library string) (arch bool, broken string) {
	paths := s.libraryPaths()
	file, ok, other := s.find(library, paths)
	if !ok {
		if other {
			return false, ""
		}
		return true, library + " not found"
	}
	seen := map[string]bool{}
	queue := []string{file}
	for len(queue) > 0 && len(seen) < maxLibraries {
		file := queue[0]
		queue = queue[1:]
		if seen[file] {
			continue
		}
		seen[file] = true
		needed, own, err := dependencies(file)
		if err != nil {
			return true, s.inside(file) + ": " + err.Error()
		}
		for i, dir := range own {
			own[i] = strings.ReplaceAll(strings.ReplaceAll(dir, "${ORIGIN}", "$ORIGIN"), "$ORIGIN", filepath.Dir(s.inside(file)))
		}
		for _, name := range needed {
			next, ok, _ := s.find(name, append(own, paths...))
			if !ok {
				return true, name + " not found, needed by " + s.inside(file)
			}
			queue = append(queue, next)
		}
	}
	return true, ""
}

// inside is a path without the root.
func (s System) inside(file string) string {
	return "/" + strings.TrimPrefix(strings.TrimPrefix(file, s.path()), "/")
}

// find resolves a library name to a file of this architecture; other: only
// files of another architecture have that name.
func (s System) find(name string, paths []string) (file string, ok, other bool) {
	candidates := []string{name}
	if !strings.Contains(name, "/") {
		candidates = candidates[:0]
		for _, dir := range paths {
			candidates = append(candidates, filepath.Join(dir, name))
		}
	}
	for _, c := range candidates {
		switch f := s.path(c); machine(f) {
		case matches:
			return f, true, false
		case differs:
			other = true
		}
	}
	return "", false, other
}

type match int

const (
	absent match = iota
	matches
	differs
)

// machine compares a file's architecture with that of this process.
func machine(path string) match {
	if _, err := os.Stat(path); err != nil {
		return absent
	}
	f, err := elf.Open(path)
	if err != nil {
		return matches // a linker script or a damaged file: judged when it is read
	}
	defer func() { _ = f.Close() }() // only read
	want := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	if f.Machine == want && f.Class == elf.ELFCLASS64 {
		return matches
	}
	return differs
}

// dependencies returns the libraries a file needs and its own search path.
func dependencies(file string) (needed, own []string, err error) {
	f, err := elf.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // only read
	if needed, err = f.ImportedLibraries(); err != nil {
		return nil, nil, err
	}
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		dirs, err := f.DynString(tag)
		if err != nil {
			continue // no dynamic section has no search path either
		}
		for _, d := range dirs {
			own = append(own, strings.Split(d, ":")...)
		}
	}
	return needed, own, nil
}

// libraryPaths lists the folders of the dynamic linker.
func (s System) libraryPaths() []string {
	var out []string
	add := func(dirs ...string) {
		for _, d := range dirs {
			if d != "" && !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	add(strings.Split(s.env("LD_LIBRARY_PATH"), ":")...)
	s.linkerConf(s.path("etc/ld.so.conf"), 0, add)
	triplet := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[runtime.GOARCH]
	add("/lib/"+triplet, "/usr/lib/"+triplet, "/lib64", "/usr/lib64", "/lib", "/usr/lib")
	return out
}

// linkerConf reads ld.so.conf and what it includes.
func (s System) linkerConf(path string, depth int, add func(...string)) {
	raw, err := os.ReadFile(path)
	if err != nil || depth > 4 {
		return
	}
	for line := range strings.Lines(string(raw)) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 2 && fields[0] == "include":
			pattern := fields[1]
			if !filepath.IsAbs(pattern) {
				pattern = filepath.Join(filepath.Dir(s.inside(path)), pattern)
			}
			files, _ := filepath.Glob(s.path(pattern)) // a malformed pattern includes nothing
			for _, f := range files {
				s.linkerConf(f, depth+1, add)
			}
		case len(fields) == 1:
			add(fields[0])
		}
	}
}
