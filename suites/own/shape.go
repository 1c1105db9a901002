package own

import (
	"fmt"

	"github.com/amgpu/amgpu/suites/program"
)

// form is how a binding lies on the devices, found from its count.
type form uint8

const (
	divided form = iota // count = a n: each device holds its share
	fringed             // count = a (n + 2 halo): its share and a halo either side
	shared              // count does not depend on n: every device holds all of it
	private             // anything else: scratch of each device alone
)

// shape is a binding's form with its elements per unit (divided, fringed) or in all.
type shape struct {
	form  form
	per   int64
	words int64 // words per unit, or in all
}

// shapeOf finds the form by trying counts at several n.
func (w *Workload) shapeOf(b *Binding, values map[string]float64) (shape, error) {
	at := func(n float64) (float64, error) {
		values["n"] = n
		v, err := b.Count.size(values, maxTotal)
		return float64(v), err
	}
	probes := []float64{1, 2, 3, 5, 8, 64, 1000, 4097}
	counts := make([]float64, len(probes))
	for i, n := range probes {
		var err error
		if counts[i], err = at(n); err != nil {
			return shape{}, b.Count.at("count of binding %d at n = %v: %w: every share must have elements, such as count: n", b.Number, n, err)
		}
	}
	slope := counts[1] - counts[0]
	base := counts[0] - slope
	linear := true
	for i, n := range probes {
		linear = linear && counts[i] == slope*n+base
	}
	s := shape{form: private}
	switch halo := float64(w.kernel.Halo); {
	case linear && slope == 0:
		s = shape{form: shared, per: int64(base)}
	case linear && base == 0:
		s = shape{form: divided, per: int64(slope)}
	case linear && base == 2*halo*slope:
		s = shape{form: fringed, per: int64(slope)}
	}
	bytes := s.per * types[b.Type]
	s.words = (bytes + wordBytes - 1) / wordBytes
	if s.form == private {
		return s, nil
	}
	if s.per < 1 {
		return s, b.Count.at("count of binding %d is %d: write how many elements a device with n units has, such as count: n", b.Number, s.per)
	}
	if s.form != shared && bytes%wordBytes != 0 {
		return s, b.Count.at("binding %d holds %d bytes per unit: shares must be whole words of %d bytes: put several elements into a unit, such as count: %d * n, with the same factor in groups and push values", b.Number, bytes, wordBytes, s.per*wordBytes/gcd(bytes, wordBytes))
	}
	return s, nil
}

// haloFits refuses shares smaller than the halo.
func (k *Kernel) haloFits(shares []program.Share) error {
	for d, s := range shares {
		if s.Len() > 0 && s.Len() < k.Halo {
			return fmt.Errorf("device %d has %d units, the halo is %d deep: choose a larger --size or fewer devices", d, s.Len(), k.Halo)
		}
	}
	return nil
}
