package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T) (*Picture, []Package) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	picture, err := ReadPicture(string(text))
	if err != nil {
		t.Fatalf("docs/architecture.md: %v", err)
	}
	watch(t, root)
	packages, err := List(root)
	if err != nil {
		t.Fatal(err)
	}
	return picture, packages
}

// watch reads every folder of the module. go test remembers what a test itself
// reads, not what its children read: without this a cached pass would outlive a
// new import.
func watch(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every import of every package is an arrow of docs/architecture.md, and every
// package named there exists.
func TestImportsFollowThePicture(t *testing.T) {
	picture, packages := read(t)
	seen := map[string]bool{}
	for _, p := range packages {
		line, ok := picture.line(p.Name)
		if !ok {
			t.Errorf("package %s has no line in docs/architecture.md", p.Name)
			continue
		}
		seen[line] = true
		for _, to := range p.Inner {
			if !picture.Allows(p.Name, to) {
				t.Errorf("%s imports %s: no such arrow in docs/architecture.md", p.Name, to)
			}
		}
		for _, path := range p.Outer {
			if err := picture.MayImport(p.Name, path, p.Standard[path]); err != nil {
				t.Error(err)
			}
		}
	}
	for name := range picture.Arrows {
		if !seen[name] {
			t.Errorf("docs/architecture.md names package %s, which does not exist", name)
		}
	}
}

// Rendering a result works on a machine without Vulkan.
func TestReportsReachNoVulkan(t *testing.T) {
	_, packages := read(t)
	for _, p := range packages {
		if p.Name != "report" && !strings.HasPrefix(p.Name, "report/") {
			continue
		}
		for _, dep := range p.Deps {
			if dep == "vk" || strings.HasPrefix(dep, "vk/") || dep == "suites/engine" {
				t.Errorf("%s reaches %s", p.Name, dep)
			}
		}
	}
}

// A family that suites/all forgets would be missing from the program without
// any other sign.
func TestEveryFamilyIsInAll(t *testing.T) {
	picture, packages := read(t)
	i := slices.IndexFunc(packages, func(p Package) bool { return p.Name == "suites/all" })
	if i < 0 {
		t.Fatal("no package suites/all")
	}
	for _, p := range packages {
		if line, _ := picture.line(p.Name); line == family && !slices.Contains(packages[i].Inner, p.Name) {
			t.Errorf("suites/all does not import %s", p.Name)
		}
	}
}
