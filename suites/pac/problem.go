package pac

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/amgpu/amgpu/suites"
)

const (
	// A signal of maxSamples fills the 32 KiB of shared memory of the analytic kernel.
	minSamples, maxSamples = 64, 4096
	maxBands               = 64
	maxSignals             = 1 << 22
	// maxTaps is the length of the longest filter: 4 fs over the least frequency, 1 Hz.
	maxTaps = 1 << 22
	// mostChunks of permutations keep the invocations of a work-group busy and let many
	// devices share evenly.
	mostChunks = 256
)

// problem is what the outputs depend on.
type problem struct {
	items, channels, signals int64
	samples                  int64 // T
	fs                       float64
	pha, amp                 []band
	taps                     [][]float32 // of all bands, those of the phase first
	perms, chunk, chunks     int64
	soft, sums, direct       bool
	split                    string // as divided: batch without surrogates
	units, perUnit           int64
	seed                     uint64
	rec                      *recording // nil: synthetic
}

// shape of the standard sizes, by the number of items of one device.
func standard(items int64) (channels, samples, perms int64) {
	switch {
	case items <= 8:
		return 2, 1024, 16
	case items < 256:
		return 64, 2048, 200
	}
	return 64, 4096, 1000
}

func or(value, standard int64) int64 {
	if value != 0 {
		return value
	}
	return standard
}

func problemOf(b suites.Build) (*problem, error) {
	v := b.Params
	p := &problem{items: b.Base, fs: float64(or(v["fs"], 512)), seed: b.Seed, split: b.Split,
		soft: v["binning"] != 0, sums: v["distribution"] != 0, direct: v["direct"] != 0}
	if b.Input != "" {
		if err := p.input(b); err != nil {
			return nil, err
		}
	} else {
		channels, samples, perms := standard(b.Base)
		p.channels, p.samples, p.perms = or(v["channels"], channels), or(v["time"], samples), perms
	}
	if v["n_perm"] >= 0 {
		p.perms = v["n_perm"]
	}
	if p.perms == 0 && p.split == "permutation" {
		p.split = "batch"
	}
	if b.Weak {
		if err := p.grow(b); err != nil {
			return nil, err
		}
	}
	switch {
	case p.items < 1 || p.channels < 1:
		return nil, fmt.Errorf("pac/mi: %d items of %d channels: choose a size above 0", p.items, p.channels)
	case p.items > maxSignals/p.channels:
		return nil, fmt.Errorf("pac/mi: %d items of %d channels: at most %d signals are possible, choose a smaller size", p.items, p.channels, maxSignals)
	case p.samples < minSamples || p.samples > maxSamples:
		return nil, fmt.Errorf("pac/mi: %d samples a signal: choose --param time from %d to %d", p.samples, minSamples, maxSamples)
	}
	p.signals = p.items * p.channels
	if err := p.bands(v); err != nil {
		if b.Input != "" { // the rate may be that of the file
			return nil, fmt.Errorf("pac/mi: input %s: %w", filepath.Base(b.Input), err)
		}
		return nil, fmt.Errorf("pac/mi: %w", err)
	}
	p.chunk = max((p.perms+mostChunks-1)/mostChunks, 1)
	p.chunks = (p.perms + p.chunk - 1) / p.chunk
	switch p.split {
	case "channel":
		p.units, p.perUnit = p.channels, p.items
	case "permutation":
		// A unit is a chunk of permutations and a block of signals to make analytic.
		p.units, p.perUnit = p.chunks, (p.signals+p.chunks-1)/p.chunks
	default:
		p.units, p.perUnit = p.items, p.channels
	}
	return p, nil
}

// grow makes the axis that is divided grow with the number of devices.
func (p *problem) grow(b suites.Build) error {
	if p.rec != nil {
		return fmt.Errorf("input %s: a file has one size; use strong mode, or weak mode without an input", b.Input)
	}
	times := max(b.Size/max(b.Base, 1), 1)
	switch p.split {
	case "channel":
		p.channels *= times
	case "permutation":
		p.perms *= times
	default:
		p.items = b.Size
	}
	return nil
}

// input takes the shape of a recording.
func (p *problem) input(b suites.Build) (err error) {
	if p.rec, err = recordingOf(b.Input); err != nil {
		return err
	}
	switch said := b.Params["fs"]; {
	case p.rec.fs > 0 && said != 0 && float64(said) != p.rec.fs:
		return fmt.Errorf("input %s: its sampling rate is %g Hz and --param fs says %d: leave --param fs out", b.Input, p.rec.fs, said)
	case p.rec.fs > 0:
		p.fs = p.rec.fs
	case said == 0:
		return fmt.Errorf("input %s: a .npy file has no sampling rate: give it in Hz with --param fs", b.Input)
	}
	p.samples = or(b.Params["time"], min(p.rec.samples, maxSamples))
	if p.samples > p.rec.samples {
		return fmt.Errorf("input %s has signals of %d samples: --param time=%d is longer", b.Input, p.rec.samples, p.samples)
	}
	p.items, p.channels, p.perms = p.rec.items*(p.rec.samples/p.samples), p.rec.channels, 200
	return nil
}

// below says which bands of the amplitude, which begin at low, end below the limit.
func below(limit, low float64) string {
	switch high := math.Floor(0.95 * limit); {
	case high < 2:
		return "no bands of whole Hz do: is the rate right?"
	case high <= low:
		return fmt.Sprintf("choose a smaller --param amp_min, now %g, and amp_max, at most %g", low, high)
	default:
		return fmt.Sprintf("choose for example --param amp_max=%g", high)
	}
}

// bands makes the bands and their filters.
func (p *problem) bands(v map[string]int64) error {
	lo, hi := float64(v["pha_min"]), float64(v["pha_max"])
	low, high := float64(v["amp_min"]), float64(or(v["amp_max"], 160))
	limit := p.fs / 2
	switch {
	case lo >= hi:
		return fmt.Errorf("phase from %g to %g Hz: pha_min must be below pha_max", lo, hi)
	case low >= high:
		return fmt.Errorf("amplitude from %g to %g Hz: amp_min must be below amp_max", low, high)
	case high >= limit:
		return fmt.Errorf("amplitude bands up to %g Hz need a sampling rate above %g Hz, this one is %g Hz: they must end below %g Hz (fs/2); %s", high, 2*high, p.fs, limit, below(limit, low))
	case hi >= limit:
		return fmt.Errorf("phase bands up to %g Hz at a sampling rate of %g Hz: they must end below %g Hz (fs/2); choose a smaller --param pha_max", hi, p.fs, limit)
	}
	p.pha, p.amp = bandsOver(lo, hi, v["n_pha"], 2), bandsOver(low, high, v["n_amp"], 4)
	if p.fs > maxTaps/4 {
		return fmt.Errorf("a sampling rate of %g Hz: at most %d Hz are possible", p.fs, maxTaps/4)
	}
	length := int64(4*p.fs/min(lo, low)) | 1
	for _, b := range append(append([]band(nil), p.pha...), p.amp...) {
		h := sinc(b, p.fs, length)
		if v["kernel"] != 0 {
			h = butterworth(b, p.fs, length)
		}
		// Taps further from the centre than a signal is long meet zeros alone.
		if over := length/2 - (p.samples - 1); over > 0 {
			h = h[over : length-over]
		}
		taps := make([]float32, len(h))
		for i, x := range h {
			taps[i] = float32(x)
		}
		p.taps = append(p.taps, taps)
	}
	return nil
}

// at is the item and the channel of a signal in the order of the arrays.
func (p *problem) at(signal int64) (item, channel int64) {
	if p.split == "channel" {
		return signal % p.items, signal / p.items
	}
	return signal / p.channels, signal % p.channels
}
