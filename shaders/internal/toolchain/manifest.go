// Package toolchain compiles the shaders and keeps their manifest: which source,
// includes, flags and compiler gave which SPIR-V. Only the generator and the tests of
// package shaders use it; building amgpu needs no shader compiler.
package toolchain

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ManifestName is the file in the shader folder that holds the manifest.
const ManifestName = "manifest.json"

// Manifest maps "family/name" to how its module was made.
type Manifest map[string]Entry

// Entry records one module.
type Entry struct {
	Source   string            `json:"source"`             // sha256 of the .comp
	Includes map[string]string `json:"includes,omitempty"` // path below the shader folder -> sha256
	Flags    []string          `json:"flags"`
	Compiler string            `json:"compiler"`          // version line of glslc
	Rewrite  string            `json:"rewrite,omitempty"` // what was done to the module afterwards
	SPIRV    string            `json:"spirv"`             // sha256 of the .spv
}

// ReadManifest reads the manifest of a shader folder; a missing one is empty.
func ReadManifest(dir string) (Manifest, error) {
	m := Manifest{}
	text, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return nil, fmt.Errorf("%s: %w; run `make shaders`", ManifestName, err)
	}
	return m, nil
}

// Write replaces the manifest of a shader folder in one rename, keys sorted.
func (m Manifest) Write(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, ManifestName), append(text, '\n'))
}

// replace writes a file beside its target and renames it over.
func replace(path string, data []byte) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// Hash is the hex sha256 of data.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// HashFile is the hex sha256 of a file.
func HashFile(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return Hash(data), nil
}
