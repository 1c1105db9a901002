// Package checkpoint is the file that holds the state of a long iteration between two of
// its repetitions: a line with the length and digest of a header, the header in JSON, then
// the words of the arrays, little-endian. Everything in it is covered by a digest, so that a
// file is either what was written or refused with the place of what is wrong.
package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// Schema is the version of the format.
const Schema = "amgpu/checkpoint/v1"

const wordBytes = 4

// State is where an iteration stands: repetitions of the program's loop that are done, and
// the arrays that all later ones depend on.
type State struct {
	Done   int64
	Arrays []Array
}

// Array is the words of an array of the program, whole.
type Array struct {
	Name  string
	Words []uint32
}

// Header is what a file says of its state.
type Header struct {
	Workload string `json:"workload"`
	// Run is what the state depends on, by name: size, parameters, seed, devices.
	Run  map[string]string `json:"run"`
	Done int64             `json:"done"` // repetitions
	Of   int64             `json:"of"`   // that the iteration has

	Arrays []entry `json:"arrays"`
}

// entry is one array of the payload, in order.
type entry struct {
	Name   string `json:"name"`
	Words  int64  `json:"words"`
	SHA256 string `json:"sha256"`
}

// Encode makes the content of a file.
func Encode(h Header, s State) ([]byte, error) {
	h.Done, h.Arrays = s.Done, nil
	var payload []byte
	for _, a := range s.Arrays {
		from := len(payload)
		payload = slices.Grow(payload, len(a.Words)*wordBytes)
		for _, w := range a.Words {
			payload = binary.LittleEndian.AppendUint32(payload, w)
		}
		h.Arrays = append(h.Arrays, entry{a.Name, int64(len(a.Words)), digest(payload[from:])})
	}
	header, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	out := fmt.Appendf(nil, "%s %d %s\n", Schema, len(header), digest(header))
	return append(append(out, header...), payload...), nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Differs names the first thing in which the run of a file is another one than h; empty:
// none.
func (f Header) Differs(h Header) string {
	if f.Workload != h.Workload {
		return fmt.Sprintf("its workload is %s and not %s", f.Workload, h.Workload)
	}
	var names []string
	for name := range f.Run {
		names = append(names, name)
	}
	for name := range h.Run {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		was, known := f.Run[name]
		is, asked := h.Run[name]
		switch {
		case !known:
			return fmt.Sprintf("it says nothing of %s, which is %s", name, is)
		case !asked:
			return fmt.Sprintf("its %s is %s, of which this run knows nothing", name, was)
		case was != is:
			return fmt.Sprintf("its %s is %s and not %s", name, was, is)
		}
	}
	if f.Of != h.Of {
		return fmt.Sprintf("it is of %d repetitions and not %d", f.Of, h.Of)
	}
	return ""
}

// ReadHeader reads the beginning of a file and tells where its arrays begin. Errors name the
// byte from which it is wrong.
func ReadHeader(content []byte) (h Header, at int, err error) {
	end := bytes.IndexByte(content[:min(len(content), firstLine)], '\n')
	var schema, sum string
	var length int
	if end >= 0 {
		if n, err := fmt.Sscanf(string(content[:end]), "%s %d %s", &schema, &length, &sum); n != 3 || err != nil {
			end = -1
		}
	}
	switch {
	case end < 0 || !bytes.HasPrefix(content, []byte(family)):
		return h, 0, fmt.Errorf("byte 0: this is no checkpoint of amgpu, which begins with a line like %q", Schema+" 512 ..")
	case schema != Schema:
		return h, 0, fmt.Errorf("byte 0: its format is %s, this amgpu reads %s: use the one that wrote it", schema, Schema)
	case length < 0 || length > len(content)-end-1:
		return h, 0, fmt.Errorf("byte %d: the file ends in its header, which has %d bytes: it was truncated", len(content), length)
	}
	at = end + 1 + length
	header := content[end+1 : at]
	if digest(header) != sum {
		return h, 0, fmt.Errorf("bytes %d to %d: the header is not what was written: the file was changed", end+1, at)
	}
	if err := json.Unmarshal(header, &h); err != nil {
		return h, 0, fmt.Errorf("byte %d: header: %w", end+1, err)
	}
	return h, at, nil
}

// State reads the arrays, which begin at a byte of the file's content. Errors name the byte
// from which it is wrong.
func (f Header) State(content []byte, first int) (State, error) {
	s := State{Done: f.Done}
	at, total := int64(first), int64(len(content))
	for _, e := range f.Arrays {
		if e.Words < 0 || e.Words > (total-at)/wordBytes {
			return State{}, fmt.Errorf("byte %d: the file ends in array %s, which has %d words from byte %d on: it was truncated", total, e.Name, e.Words, at)
		}
		end := at + e.Words*wordBytes
		part := content[at:end]
		if digest(part) != e.SHA256 {
			return State{}, fmt.Errorf("bytes %d to %d: array %s is not what was written: the file was changed", at, end, e.Name)
		}
		a := Array{Name: e.Name, Words: make([]uint32, e.Words)}
		for i := range a.Words {
			a.Words[i] = binary.LittleEndian.Uint32(part[i*wordBytes:])
		}
		s.Arrays = append(s.Arrays, a)
		at = end
	}
	if at < total {
		return State{}, fmt.Errorf("byte %d: %d bytes follow the last array: the file was changed", at, total-at)
	}
	return s, nil
}

const (
	// family begins every file of the format, of any version.
	family = "amgpu/checkpoint/"
	// firstLine bounds the length of the first line.
	firstLine = 200
)
