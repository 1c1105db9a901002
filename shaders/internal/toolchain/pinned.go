package toolchain

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// pinnedVersion is the compiler that `make glslc` unpacks.
const pinnedVersion = "2025.2-1"

// pinnedLine in a source asks for the pinned compiler, as in "// glslc: pinned": for language
// extensions that others reject. rewriteLine names what is done to the module afterwards.
var (
	pinnedLine  = regexp.MustCompile(`(?m)^// glslc: pinned$`)
	rewriteLine = regexp.MustCompile(`(?m)^// rewrite: (.+)$`)
)

// ErrNoPinned is returned when the pinned compiler is not found.
var ErrNoPinned = errors.New("needs glslc " + pinnedVersion + ": run `make glslc`, or set AMGPU_GLSLC_PINNED to its path")

// FindPinned takes the pinned compiler from AMGPU_GLSLC_PINNED, the folder of `make glslc`
// or, if it is that version, the PATH.
func FindPinned() (Compiler, error) {
	if path := os.Getenv("AMGPU_GLSLC_PINNED"); path != "" {
		return ask(path)
	}
	if dir := toolsFolder(); dir != "" {
		path := filepath.Join(dir, "glslc-"+pinnedVersion, "glslc")
		if _, err := os.Stat(path); err == nil {
			return ask(path)
		}
	}
	if path, err := exec.LookPath("glslc"); err == nil {
		if c, err := ask(path); err == nil && strings.Contains(c.Version, "shaderc "+pinnedVersion) {
			return c, nil
		}
	}
	return Compiler{}, ErrNoPinned
}

// toolsFolder is where scripts/glslc.sh unpacks; empty: there is no such place.
func toolsFolder() string {
	if dir := os.Getenv("AMGPU_TOOLS"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "amgpu-tools")
}

// rewrite changes a module as its source asks.
func rewrite(how string, module []byte) ([]byte, error) {
	if how != "bfloat16" {
		return nil, fmt.Errorf("unknown rewriting %q: there is bfloat16", how)
	}
	words := make([]uint32, len(module)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(module[4*i:])
	}
	words, err := BFloat16(words)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, 4*len(words))
	for _, w := range words {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out, nil
}
