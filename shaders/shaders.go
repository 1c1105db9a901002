// Package shaders holds the compute kernels: GLSL sources by family, their committed
// SPIR-V and the manifest that ties the two together. The binary embeds the SPIR-V;
// `make shaders` makes it anew.
package shaders

import (
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:generate go run ./internal/gen -dir .

//go:embed */*.spv
var modules embed.FS

// Magic is the first word of every SPIR-V module.
const Magic = 0x07230203

// Load returns a module by its "family/name" as SPIR-V words, and the hex sha256 of
// its bytes. The error for an unknown name lists near names.
func Load(name string) (words []uint32, hash string, err error) {
	data, err := modules.ReadFile(name + ".spv")
	if err != nil {
		return nil, "", unknown(name)
	}
	if len(data) < 20 || len(data)%4 != 0 || binary.LittleEndian.Uint32(data) != Magic {
		return nil, "", fmt.Errorf("shader %q is not SPIR-V: run `make shaders`", name)
	}
	words = make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	sum := sha256.Sum256(data)
	return words, hex.EncodeToString(sum[:]), nil
}

// Names lists every module as "family/name", sorted.
func Names() []string {
	found, err := fs.Glob(modules, "*/*.spv")
	if err != nil { // only a malformed pattern gives one
		panic(err)
	}
	for i := range found {
		found[i] = strings.TrimSuffix(found[i], ".spv")
	}
	slices.Sort(found)
	return found
}

// unknown is the error for a name without module; it names those of the same family
// or of the same last part.
func unknown(name string) error {
	family, base, _ := strings.Cut(name, "/")
	var near []string
	for _, known := range Names() {
		f, b, _ := strings.Cut(known, "/")
		if f == family || b == base || b == family {
			near = append(near, known)
		}
	}
	if len(near) == 0 {
		return fmt.Errorf("unknown shader %q: the families are %s", name, strings.Join(families(), ", "))
	}
	return fmt.Errorf("unknown shader %q: did you mean %s?", name, strings.Join(near, ", "))
}

func families() []string {
	var out []string
	for _, known := range Names() {
		f, _, _ := strings.Cut(known, "/")
		out = append(out, f)
	}
	return slices.Compact(out)
}
