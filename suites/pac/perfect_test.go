package pac

import (
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"testing"
)

// What a perfect device would write.

func save(t *testing.T, path string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

func shapeText(channels, samples int) string { return fmt.Sprintf("%d, %d", channels, samples) }

// sharesOf are the bins of a phase.
func (p *problem) sharesOf(phase float64) [2]share {
	if p.soft {
		return softBins(phase)
	}
	return [2]share{{binOf(phase), 1}}
}

// listOf is the list of a phase band.
func (p *problem) listOf(z []complex128) []uint32 {
	var entries [bins][]uint32
	var weight [bins]uint32
	for i, v := range z {
		for _, s := range p.sharesOf(cmplx.Phase(v)) {
			w := uint32(math.Round(s.weight * weightSteps))
			switch {
			case w == 0:
				continue
			case p.soft:
				entries[s.bin] = append(entries[s.bin], w<<16|uint32(i))
				weight[s.bin] += w
			default:
				entries[s.bin] = append(entries[s.bin], uint32(i))
				weight[s.bin]++
			}
		}
	}
	out := make([]uint32, p.list())
	at := headWords
	for b, list := range entries {
		out[4*b], out[4*b+1], out[4*b+2] = uint32(at/4), uint32(len(list)), weight[b]
		copy(out[at:], list)
		at += (len(list) + 3) / 4 * 4
	}
	return out
}

// wholeAmplitudes are amplitudes in units of their sum / 2^31.
func wholeAmplitudes(z []complex128) []uint32 {
	sum := 0.0
	for _, v := range z {
		sum += cmplx.Abs(v)
	}
	out := make([]uint32, len(z))
	for i, v := range z {
		out[i] = uint32(math.Round(cmplx.Abs(v) * 0x1p31 / sum))
	}
	return out
}
