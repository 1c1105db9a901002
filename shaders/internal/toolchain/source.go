package toolchain

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Sources lists the modules of a shader folder as "family/name", sorted.
func Sources(dir string) ([]string, error) { return list(dir, ".comp") }

// Modules lists the compiled modules of a shader folder as "family/name", sorted.
func Modules(dir string) ([]string, error) { return list(dir, ".spv") }

// IncludeFiles lists the .glsl files below a shader folder, sorted.
func IncludeFiles(dir string) ([]string, error) {
	names, err := list(dir, ".glsl")
	for i := range names {
		names[i] += ".glsl"
	}
	return names, err
}

func list(dir, ext string) ([]string, error) {
	found, err := fs.Glob(os.DirFS(dir), "*/*"+ext)
	if err != nil {
		return nil, err
	}
	for i, f := range found {
		found[i] = strings.TrimSuffix(f, ext)
	}
	slices.Sort(found)
	return found, nil
}

var includeLine = regexp.MustCompile(`(?m)^\s*#\s*include\s*"([^"]+)"`)

// Includes returns the hash of every file that a source includes, directly or not,
// by its path below the shader folder. Includes are written from that folder, as in
// #include "common/index.glsl".
func Includes(dir, source string) (map[string]string, error) {
	seen := map[string]string{}
	if err := addIncludes(dir, source, seen); err != nil {
		return nil, err
	}
	return seen, nil
}

func addIncludes(dir, file string, seen map[string]string) error {
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	for _, m := range includeLine.FindAllStringSubmatch(string(text), -1) {
		name := m[1]
		if !fs.ValidPath(name) || path.Clean(name) != name {
			return fmt.Errorf("%s includes %q: write the path from the shader folder, as in \"common/index.glsl\"", file, name)
		}
		if _, done := seen[name]; done {
			continue
		}
		hash, err := HashFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return fmt.Errorf("%s includes %q: %w", file, name, err)
		}
		seen[name] = hash
		if err := addIncludes(dir, name, seen); err != nil {
			return err
		}
	}
	return nil
}
