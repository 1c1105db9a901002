package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Package is what go list says about one package of this module.
type Package struct {
	Name     string   // relative to the module, "main" for its root
	Inner    []string // packages of this module imported by its non-test files, by the same names
	Outer    []string // everything else its non-test files import
	Standard map[string]bool
	Deps     []string // packages of this module it reaches through any chain
}

// List asks go list about every package of the module rooted at root. Cgo is on,
// so that files importing "C" are seen whatever the environment says, and so are those of
// the build with MPI.
func List(root string) ([]Package, error) {
	module, err := goList(root, "-m")
	if err != nil {
		return nil, err
	}
	path := strings.TrimSpace(string(module))
	data, err := goList(root, "-tags=mpi", "-json=ImportPath,Imports,Deps", "./...")
	if err != nil {
		return nil, err
	}
	var packages []Package
	for dec := json.NewDecoder(bytes.NewReader(data)); ; {
		var entry struct {
			ImportPath string   `json:"ImportPath"`
			Imports    []string `json:"Imports"`
			Deps       []string `json:"Deps"`
		}
		if err := dec.Decode(&entry); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("output of go list: %w", err)
		}
		name, _ := relative(path, entry.ImportPath)
		p := Package{Name: name, Standard: map[string]bool{}}
		for _, imported := range entry.Imports {
			if inner, ok := relative(path, imported); ok {
				p.Inner = append(p.Inner, inner)
				continue
			}
			p.Outer = append(p.Outer, imported)
			first, _, _ := strings.Cut(imported, "/")
			p.Standard[imported] = !strings.Contains(first, ".")
		}
		for _, dep := range entry.Deps {
			if inner, ok := relative(path, dep); ok {
				p.Deps = append(p.Deps, inner)
			}
		}
		slices.Sort(p.Deps)
		packages = append(packages, p)
	}
	return packages, nil
}

// relative returns an import path's name inside the module.
func relative(module, path string) (string, bool) {
	if path == module {
		return "main", true
	}
	return strings.CutPrefix(path, module+"/")
}

func goList(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return out, nil
}
