package toolchain

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folder makes a shader folder of the given files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const copyShader = `#version 460
#include "common/a.glsl"
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer B { uint b[]; };
void main() { b[0] = value(); }
`

func compiler(t *testing.T) Compiler {
	t.Helper()
	c, err := FindCompiler()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGenerateFollowsTheSources(t *testing.T) {
	dir := folder(t, map[string]string{
		"common/a.glsl": "#include \"common/b.glsl\"\n",
		"common/b.glsl": "uint value() { return 7u; }\n",
		"x/one.comp":    copyShader,
		"y/two.comp":    copyShader,
	})
	c := compiler(t)
	done, err := Generate(dir, "", c)
	if err != nil || !slices.Equal(done, []string{"x/one", "y/two"}) {
		t.Fatalf("%v, %v", done, err)
	}
	m, err := ReadManifest(dir)
	if err != nil || len(m) != 2 || len(m["x/one"].Includes) != 2 || m["x/one"].Compiler != c.Version {
		t.Fatalf("%+v, %v", m, err)
	}
	if hash, err := HashFile(filepath.Join(dir, "x/one.spv")); err != nil || hash != m["x/one"].SPIRV {
		t.Errorf("module hash %s (%v), manifest %s", hash, err, m["x/one"].SPIRV)
	}

	// A removed source takes its module and entry along, within the prefix only.
	for _, f := range []string{"x/one.comp", "y/two.comp"} {
		if err := os.Remove(filepath.Join(dir, f)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Generate(dir, "x/", c); err == nil || !strings.Contains(err.Error(), "no shader") {
		t.Errorf("a family without shaders: %v", err)
	}
	if m, err := ReadManifest(dir); err != nil || len(m) != 1 {
		t.Errorf("the manifest lists %v, %v", m, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "x/one.spv")); err == nil {
		t.Error("x/one.spv is left without its source")
	}
	if _, err := os.Stat(filepath.Join(dir, "y/two.spv")); err != nil {
		t.Error("y/two.spv is gone, although only x/ was asked for")
	}
}

func TestASourceMayChooseItsFlags(t *testing.T) {
	if got := flags([]byte("#version 460\n// flags: -O0 -DX=1\n")); !slices.Equal(got, []string{"-O0", "-DX=1", target}) {
		t.Errorf("flags %v", got)
	}
	if got := flags([]byte("#version 460\n// no flags: -O0\n")); !slices.Equal(got, []string{"-O", target}) {
		t.Errorf("default flags %v", got)
	}
}

func TestGenerateReportsErrors(t *testing.T) {
	c := compiler(t)
	for want, files := range map[string]map[string]string{
		"undeclared":      {"x/one.comp": "#version 460\nlayout(local_size_x = 1) in;\nvoid main() { y = 1; }\n"},
		"common/gone":     {"x/one.comp": "#include \"common/gone.glsl\"\n"},
		"from the shader": {"x/one.comp": "#include \"../one.glsl\"\n"},
		ManifestName:      {"x/one.comp": copyShader, ManifestName: "{"},
	} {
		if _, err := Generate(folder(t, files), "", c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not mention %q", err, want)
		}
	}
}

func TestFindCompilerSaysWhatToDo(t *testing.T) {
	t.Setenv("AMGPU_GLSLC", "")
	t.Setenv("PATH", t.TempDir())
	if _, err := FindCompiler(); err == nil || !strings.Contains(err.Error(), "AMGPU_GLSLC") {
		t.Errorf("no compiler: %v", err)
	}
	t.Setenv("AMGPU_GLSLC", filepath.Join(t.TempDir(), "glslc"))
	if _, err := FindCompiler(); err == nil {
		t.Error("a compiler that does not exist is accepted")
	}
}

func TestValidateRejects(t *testing.T) {
	dir := folder(t, map[string]string{"bad.spv": "not SPIR-V, not at all!!"})
	if err := compiler(t).Validate(filepath.Join(dir, "bad.spv")); err == nil {
		t.Error("text passes for SPIR-V")
	}
}
