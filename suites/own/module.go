package own

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/amgpu/amgpu/internal/near"
	"github.com/amgpu/amgpu/suites/program"
)

// ErrInput says that a shader or its description cannot be used; the text says
// where and what to do.
var ErrInput = errors.New("unusable kernel")

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInput, fmt.Sprintf(format, args...))
}

// Bounds of what is read.
const (
	maxModuleBytes = 16 << 20
	maxBound       = 0x3fffff // ids, the universal limit of the SPIR-V specification
)

// Module is what reflection finds in a SPIR-V module.
type Module struct {
	Words    []uint32
	Hash     string // hex sha256 of its bytes
	Entries  []Entry
	Buffers  []Buffer // by binding
	Push     int      // bytes of the push-constant block, 0: none
	PushWord []Member // its members, where they are scalars
	Spec     []Spec   // specialization constants with an id
	Needs    []string // features beyond the base, by the names of `amgpu devices`
	Shared   int64    // bytes of shared memory
}

// Entry is a compute entry point.
type Entry struct {
	Name string
	size [3]dim
}

// dim is one dimension of a work-group: a value, or a specialization constant with
// that default.
type dim struct {
	value uint32
	spec  int64 // constant id, -1: none
}

// GroupSize is the size of a work-group under specialization.
func (e Entry) GroupSize(spec []program.Spec) [3]uint32 {
	var out [3]uint32
	for i, d := range e.size {
		out[i] = d.value
		for _, s := range spec {
			if int64(s.ID) == d.spec {
				out[i] = s.Value
			}
		}
	}
	return out
}

// Buffer is a storage buffer that the module binds.
type Buffer struct {
	Set, Binding      uint32
	Name              string
	Type              string // of the runtime array's scalars, such as f32; empty: something else
	Per               int64  // scalars from one array element to the next (4 for a vec4, and for a vec3); words where Type is empty; 0: no runtime array
	Fixed             int64  // bytes before the runtime array, or of all where there is none
	Readonly, Written bool   // decorated NonWritable; decorated NonReadable
}

// called is the name of the buffer for a message; nothing where the module has none.
func (b Buffer) called() string {
	if b.Name == "" {
		return ""
	}
	return " (" + b.Name + ")"
}

// Member is a scalar of the push-constant block.
type Member struct {
	Name   string // empty: the module does not tell
	Type   string // empty: no scalar
	Offset uint32
	Size   int64 // in bytes
}

// Spec is a specialization constant.
type Spec struct {
	ID      uint32
	Name    string
	Type    string
	Default uint32 // bits of the first word
}

// ReadModule reads and reflects a module from a file.
func ReadModule(path string) (*Module, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(f, maxModuleBytes+1))
	if err != nil {
		return nil, bad("%v", err)
	}
	m, err := Reflect(data)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, path)
	}
	return m, nil
}

// Reflect checks the bytes of a module and finds what a kernel description needs.
// Nothing in the bytes is trusted.
func Reflect(data []byte) (*Module, error) {
	const (
		magic, swapped = 0x07230203, 0x03022307
		first, last    = 0x00010000, 0x00010600
		header         = 5
	)
	switch {
	case len(data) > maxModuleBytes:
		return nil, bad("a module of more than %d bytes", maxModuleBytes)
	case len(data) < 4*header:
		return nil, bad("%d bytes are too short for a SPIR-V module", len(data))
	case len(data)%4 != 0:
		return nil, bad("%d bytes are no whole number of SPIR-V words: the file is cut off or is no SPIR-V", len(data))
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	switch {
	case words[0] == swapped:
		return nil, bad("SPIR-V of the other byte order: compile for this machine")
	case words[0] != magic:
		return nil, bad("no SPIR-V, it starts with %#08x: give the compiled module, not its source", words[0])
	case words[1] < first || words[1] > last || words[1]&0xff != 0:
		return nil, bad("SPIR-V version word %#08x: Vulkan 1.3 takes 1.0 to 1.6", words[1])
	case words[3] == 0 || words[3] > maxBound || words[4] != 0:
		return nil, bad("a damaged SPIR-V header")
	}
	sum := sha256.Sum256(data)
	r := &reader{words: words, bound: words[3], ids: map[uint32]*id{}}
	if err := r.walk(header); err != nil {
		return nil, err
	}
	m := &Module{Words: words, Hash: hex.EncodeToString(sum[:])}
	if err := r.fill(m); err != nil {
		return nil, err
	}
	return m, nil
}

// entry returns the entry point of that name.
func (m *Module) entry(name string) (Entry, error) {
	names := make([]string, len(m.Entries))
	for i, e := range m.Entries {
		if e.Name == name {
			return e, nil
		}
		names[i] = e.Name
	}
	return Entry{}, bad("entry: the module has no compute entry point %q%s", name, near.HintOrAll(name, names))
}
