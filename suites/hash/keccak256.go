package hash

import (
	"encoding/binary"

	"golang.org/x/crypto/sha3"

	"github.com/amgpu/amgpu/suites"
)

// keccakOps: 24 rounds of about 150 operations on 64 bits, two of 32 bits each.
const keccakOps = 24 * 150 * 2

func init() {
	suites.Register(messages{
		info: messageInfo(suites.Info{
			ID:         "hash/keccak256",
			Doc:        "Keccak-256, as Ethereum uses it, of many messages of one length",
			Source:     "SuperVM; FIPS 202 with the padding of Keccak's submission, 0x01",
			Formula:    "h[i] = Keccak[512](m[i]), 256 bits; words are little-endian",
			Flops:      "7200 integer operations per block, floor(bytes / 136) + 1 blocks",
			Arithmetic: "int32",
		}),
		ops: keccakOps, rate: 136, least: 1, sum: sumKeccak256,
	})
}

// sumKeccak256 hashes a message whose words are little-endian.
func sumKeccak256(message []uint32) (out [hashWords]uint32) {
	h := sha3.NewLegacyKeccak256()
	for _, w := range message {
		_, _ = h.Write(binary.LittleEndian.AppendUint32(nil, w)) // never fails
	}
	sum := h.Sum(nil)
	for k := range out {
		out[k] = binary.LittleEndian.Uint32(sum[4*k:])
	}
	return out
}
