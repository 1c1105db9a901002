package hash

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/amgpu/amgpu/suites"
)

func init() {
	suites.Register(messages{
		info: messageInfo(suites.Info{
			ID:         "hash/sha256",
			Doc:        "SHA-256 of many messages of one length",
			Source:     "SuperVM; FIPS 180-4",
			Formula:    "h[i] = SHA-256(m[i]); words are big-endian",
			Flops:      "2200 integer operations per block, ceil((bytes + 9) / 64) blocks",
			Arithmetic: "int32",
		}),
		ops: blockOps, rate: sha256.BlockSize, least: 9, sum: sumSHA256,
	})
}

// sumSHA256 hashes a message whose words are big-endian.
func sumSHA256(message []uint32) (out [hashWords]uint32) {
	raw := make([]byte, 4*len(message))
	for k, w := range message {
		binary.BigEndian.PutUint32(raw[4*k:], w)
	}
	sum := sha256.Sum256(raw)
	for k := range out {
		out[k] = binary.BigEndian.Uint32(sum[4*k:])
	}
	return out
}
