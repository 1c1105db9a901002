package partition

// Equal gives every device the same number of granules; the remainder goes to
// the first devices, one granule each (10 units over 3 devices: 4, 3, 3). When
// Units is no multiple of the granule, the last non-empty share is short.
func Equal(r Request) ([]Share, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	granule := max(r.Granule, 1)
	granules := r.Units / granule
	if r.Units%granule != 0 {
		granules++
	}
	count := int64(r.Count)
	each, extra := granules/count, granules%count
	shares := make([]Share, r.Count)
	var first int64 // in granules
	for i := range shares {
		n := each
		if int64(i) < extra {
			n++
		}
		shares[i] = Share{Lo: at(first, granule, r.Units), Hi: at(first+n, granule, r.Units)}
		first += n
	}
	return shares, nil
}

// at is the unit at which granule number g starts, at most units (also where
// the product would overflow).
func at(g, granule, units int64) int64 {
	if g > units/granule {
		return units
	}
	return g * granule
}
