package hash

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func batches() []messages {
	var out []messages
	for _, w := range suites.All() {
		if m, ok := w.(messages); ok {
			out = append(out, m)
		}
	}
	return out
}

// TestKnownHashes: messages of zeros; SHA-256 of 64 zero bytes is the first node of
// Ethereum's deposit tree, Keccak-256 of 32 the place of the first slot of its storage.
func TestKnownHashes(t *testing.T) {
	sha := sumSHA256(make([]uint32, 16))
	kec := sumKeccak256(make([]uint32, 8))
	var got [2][]byte
	for k := range hashWords {
		got[0] = binary.BigEndian.AppendUint32(got[0], sha[k])
		got[1] = binary.LittleEndian.AppendUint32(got[1], kec[k])
	}
	for i, want := range []string{
		"f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b",
		"290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563",
	} {
		if hex.EncodeToString(got[i]) != want {
			t.Errorf("%x, want %s", got[i], want)
		}
	}
}

func TestMessagesBuild(t *testing.T) {
	for _, m := range batches() {
		for _, n := range []int64{1, 255, 256, 257, 1009, 1 << 28} {
			for _, count := range []int{1, 2, 3} {
				b := suitetest.Build(m, n, count)
				p, err := m.Build(b)
				if err == nil {
					err = suitetest.Invariants(p, count)
				}
				if err != nil || p.Work != float64(n) || p.Bytes != 96*float64(n) {
					t.Errorf("%s, %d messages, %d devices: %v hashes, %v bytes, %v", m.info.ID, n, count, p.Work, p.Bytes, err)
				}
			}
		}
		for _, bad := range []struct{ n, bytes int64 }{{0, 64}, {-1, 64}, {maxMessages + 1, 64}, {1, 20}} {
			b := suitetest.Build(m, bad.n, 1)
			b.Params["bytes"] = bad.bytes
			if _, err := m.Build(b); err == nil || !strings.Contains(err.Error(), "choose") {
				t.Errorf("%s, %+v: %v does not say what to choose", m.info.ID, bad, err)
			}
		}
	}
}

// TestBlocks: the work follows the blocks that padding needs.
func TestBlocks(t *testing.T) {
	for _, m := range batches() {
		edges := map[string][3]int64{"hash/sha256": {48, 64, 2}, "hash/keccak256": {128, 144, 2}}[m.info.ID]
		for i, blocks := range []float64{1, float64(edges[2])} {
			b := suitetest.Build(m, 10, 1)
			b.Params["bytes"] = edges[i]
			p, err := m.Build(b)
			if err != nil || p.Flops != m.ops*blocks*10 {
				t.Errorf("%s of %d bytes: %v operations, %v", m.info.ID, edges[i], p.Flops, err)
			}
		}
	}
}

func TestMessagesVerify(t *testing.T) {
	for _, m := range batches() {
		b := suitetest.Build(m, 300, 2)
		p, err := m.Build(b)
		if err != nil {
			t.Fatal(err)
		}
		stream := suites.Stream{Seed: b.Seed, Workload: 31, Array: idMessages}
		var words []uint32
		for i := range int64(300) {
			message := make([]uint32, 16)
			for k := range message {
				message[k] = stream.Word(16*i + int64(k))
			}
			sum := m.sum(message)
			words = append(words, sum[:]...)
		}
		c := &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: map[string][]uint32{"hashes": words}}}
		if got, err := m.Verify(c); err != nil || got.Wrong != "" || got.Checked != 8*300 {
			t.Errorf("%s: %+v, %v", m.info.ID, got, err)
		}
		words[8*299+7] ^= 1
		if got, err := m.Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "hashes[2399]") {
			t.Errorf("%s: a wrong bit passes: %+v, %v", m.info.ID, got, err)
		}
	}
}
