package suites

import "testing"

func TestDigestOfPartsIsThatOfTheWhole(t *testing.T) {
	words := make([]uint32, 1000)
	for i := range words {
		words[i] = Stream{Seed: 7}.Word(int64(i))
	}
	const base = 1<<32 - 500 // crosses the low word of the index
	whole := Digest(words, base)
	parts := AddDigest(Digest(words[300:], base+300), Digest(words[:300], base))
	if whole != parts {
		t.Errorf("whole %08x, parts %08x", whole, parts)
	}
}

func TestDigestSeesEveryChange(t *testing.T) {
	words := []uint32{1, 2, 3, 4, 0, 0}
	want := Digest(words, 0)
	if got := Digest(words, 1); got == want {
		t.Error("a shifted position is not seen")
	}
	words[0], words[1] = words[1], words[0]
	if got := Digest(words, 0); got == want {
		t.Error("swapped words are not seen")
	}
	words[0], words[1] = words[1], words[0]
	for i := range words {
		for bit := range 32 {
			words[i] ^= 1 << bit
			got := Digest(words, 0)
			for k := range got {
				if got[k] == want[k] {
					t.Errorf("bit %d of word %d is not seen in lane %d", bit, i, k)
				}
			}
			words[i] ^= 1 << bit
		}
	}
}

// The value fixes the definition that the kernel shares.
func TestDigestKnownAnswer(t *testing.T) {
	got := Digest([]uint32{0, 1, 0xFFFFFFFF}, 1<<32|5)
	if want := [4]uint32{0x2cc5e155, 0xaced3494, 0x0324c485, 0x235dd7fb}; got != want {
		t.Errorf("digest %#08x, expected %#08x", got, want)
	}
}
