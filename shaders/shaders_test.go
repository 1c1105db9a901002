package shaders_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/shaders"
	"github.com/amgpu/amgpu/shaders/internal/toolchain"
)

// spirv16 is the SPIR-V version of Vulkan 1.3 modules, 1.6.
const spirv16 = 0x00010600

func manifest(t *testing.T) toolchain.Manifest {
	t.Helper()
	m, err := toolchain.ReadManifest(".")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestManifestMatchesTheFiles(t *testing.T) {
	m := manifest(t)
	sources, err := toolchain.Sources(".")
	if err != nil {
		t.Fatal(err)
	}
	modules, err := toolchain.Modules(".")
	if err != nil {
		t.Fatal(err)
	}
	listed := make([]string, 0, len(m))
	for name := range m {
		listed = append(listed, name)
	}
	slices.Sort(listed)
	for what, names := range map[string][]string{".spv": modules, ".comp": sources} {
		if !slices.Equal(names, listed) {
			t.Errorf("%s files %v, the manifest lists %v; run `make shaders`", what, names, listed)
		}
	}
	used := map[string]bool{}
	for name, e := range m {
		if hash, err := toolchain.HashFile(name + ".comp"); err != nil || hash != e.Source {
			t.Errorf("%s.comp has changed since it was compiled (%v); run `make shaders`", name, err)
		}
		includes, err := toolchain.Includes(".", name+".comp")
		if err != nil || len(includes) != len(e.Includes) {
			t.Errorf("%s includes %v, the manifest has %v (%v)", name, includes, e.Includes, err)
		}
		for file, hash := range includes {
			used[file] = true
			if e.Includes[file] != hash {
				t.Errorf("%s has changed since %s was compiled; run `make shaders`", file, name)
			}
		}
	}
	headers, err := toolchain.IncludeFiles(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range headers {
		if !used[file] {
			t.Errorf("%s is included by no shader", file)
		}
	}
}

func TestModulesLoad(t *testing.T) {
	m := manifest(t)
	names := shaders.Names()
	if len(names) == 0 || len(names) != len(m) {
		t.Fatalf("%d modules embedded, %d in the manifest", len(names), len(m))
	}
	for _, name := range names {
		words, hash, err := shaders.Load(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if hash != m[name].SPIRV {
			t.Errorf("%s has hash %s, the manifest %s", name, hash, m[name].SPIRV)
		}
		if words[0] != shaders.Magic || words[1] != spirv16 {
			t.Errorf("%s starts with %08x %08x", name, words[0], words[1])
		}
	}
}

func TestUnknownShaderListsNearNames(t *testing.T) {
	_, _, err := shaders.Load("memory/triads")
	if err == nil || !strings.Contains(err.Error(), "memory/triad") {
		t.Errorf("same family: %v", err)
	}
	_, _, err = shaders.Load("motor/oil")
	if err == nil || !strings.Contains(err.Error(), "families") {
		t.Errorf("nothing near: %v", err)
	}
	_, _, err = shaders.Load("motor/fill")
	if err == nil || !strings.Contains(err.Error(), "engine/fill") {
		t.Errorf("same name: %v", err)
	}
}

// TestRegenerate compiles and validates every shader anew. The bytes must be those committed where
// the compiler is the one of the manifest; another compiler must accept and validate.
func TestRegenerate(t *testing.T) {
	c, err := toolchain.FindCompiler()
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range manifest(t) {
		t.Run(name, func(t *testing.T) {
			words, now, err := c.Compile(".", name)
			if err != nil {
				t.Fatal(err)
			}
			if now.Compiler == e.Compiler && slices.Equal(now.Flags, e.Flags) && now.Rewrite == e.Rewrite {
				want, err := os.ReadFile(name + ".spv")
				if err != nil || !bytes.Equal(words, want) {
					t.Errorf("compiling gives other bytes than committed (%v); run `make shaders`", err)
				}
			} else {
				t.Logf("compiled by %q, the manifest names %q: bytes not compared", now.Compiler, e.Compiler)
			}
		})
	}
}
