package cluster

import (
	"bytes"
	"encoding/gob"
	"fmt"
)

// kind is what a frame is.
type kind uint8

const (
	pulse   kind = iota // a sign of life
	hello               // a rank describes itself to rank 0, and rank 0 all to each
	command             // rank 0 asks for an operation
	part                // to rank 0, within an operation
	value               // from rank 0, within an operation
	done                // to rank 0: the operation is over
	abort               // from rank 0: give the operation up
	leave               // from rank 0: the job is over
)

// frame is what ranks send each other.
type frame struct {
	Kind kind
	Op   uint64 // operation
	Body []byte
}

func (f frame) encode() ([]byte, error) { return encode(f) }

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		return nil, fmt.Errorf("for another rank: %w", err)
	}
	return b.Bytes(), nil
}

func decode(b []byte, v any) error {
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(v); err != nil {
		return fmt.Errorf("from another rank: %w", err)
	}
	return nil
}
