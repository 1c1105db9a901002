package toolchain

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// target is a flag of every module. No -g: the bytes must not depend on the folder.
const target = "--target-env=vulkan1.3"

// flagsLine lets a source replace the usual -O, as in "// flags: -O0".
var flagsLine = regexp.MustCompile(`(?m)^// flags: (.+)$`)

// flags are the compiler flags of a source.
func flags(source []byte) []string {
	if m := flagsLine.FindSubmatch(source); m != nil {
		return append(strings.Fields(string(m[1])), target)
	}
	return []string{"-O", target}
}

// ErrNoCompiler is returned when glslc is not found.
var ErrNoCompiler = errors.New("glslc not found: install it (Debian: apt-get install glslc spirv-tools) or set AMGPU_GLSLC to its path")

// Compiler is a glslc on this machine.
type Compiler struct {
	Path    string
	Version string // its version lines, joined
}

// FindCompiler takes glslc from AMGPU_GLSLC or the PATH and asks its version.
func FindCompiler() (Compiler, error) {
	path := os.Getenv("AMGPU_GLSLC")
	if path == "" {
		var err error
		if path, err = exec.LookPath("glslc"); err != nil {
			return Compiler{}, ErrNoCompiler
		}
	}
	return ask(path)
}

// ask asks a compiler its version.
func ask(path string) (Compiler, error) {
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return Compiler{}, fmt.Errorf("%s --version: %w", path, err)
	}
	version, _, _ := strings.Cut(string(out), "\n\n") // the lines after it name the SPIR-V target
	return Compiler{Path: path, Version: strings.Join(strings.Fields(version), " ")}, nil
}

// Compile compiles and validates one module of a shader folder and returns its SPIR-V with
// the record for the manifest. Nothing is written to the folder.
func (c Compiler) Compile(dir, name string) ([]byte, Entry, error) {
	source := filepath.Join(dir, filepath.FromSlash(name)+".comp")
	text, err := os.ReadFile(source)
	if err != nil {
		return nil, Entry{}, err
	}
	if pinnedLine.Match(text) {
		if c, err = FindPinned(); err != nil {
			return nil, Entry{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	e := Entry{Source: Hash(text), Flags: flags(text), Compiler: c.Version}
	if e.Includes, err = Includes(dir, name+".comp"); err != nil {
		return nil, e, err
	}
	out, err := os.CreateTemp("", "amgpu-*.spv")
	if err != nil {
		return nil, e, err
	}
	defer func() { _ = os.Remove(out.Name()) }()
	if err := out.Close(); err != nil {
		return nil, e, err
	}
	args := append(slices.Clone(e.Flags), "-Werror", "-I", dir, "-o", out.Name(), source)
	if text, err := exec.Command(c.Path, args...).CombinedOutput(); err != nil {
		return nil, e, fmt.Errorf("%s: %w\n%s", name, err, text)
	}
	// Before it is rewritten: validators that know bfloat16 are too new.
	if err := c.Validate(out.Name()); err != nil {
		return nil, e, fmt.Errorf("%s: %w", name, err)
	}
	module, err := os.ReadFile(out.Name())
	if err != nil {
		return nil, e, err
	}
	if m := rewriteLine.FindSubmatch(text); m != nil {
		e.Rewrite = string(m[1])
		if module, err = rewrite(e.Rewrite, module); err != nil {
			return nil, e, fmt.Errorf("%s: %w", name, err)
		}
	}
	e.SPIRV = Hash(module)
	return module, e, nil
}

// Validate runs spirv-val on a module file: the one beside the compiler, else that of the
// PATH.
func (c Compiler) Validate(path string) error {
	validator := filepath.Join(filepath.Dir(c.Path), "spirv-val")
	if _, err := os.Stat(validator); err != nil {
		validator = "spirv-val"
	}
	text, err := exec.Command(validator, "--target-env", "vulkan1.3", path).CombinedOutput()
	if err != nil {
		return fmt.Errorf("spirv-val %s: %w\n%s", path, err, text)
	}
	return nil
}
