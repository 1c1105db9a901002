package partition

// Equal gives every device the same number of granules; the remainder goes to
// the first devices, one granule each (10 units over 3 devices: 4, 3, 3). When
// Units is no multiple of the granule, the last non-empty share is short.
func Equal(r Request) ([]Share, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	granules, count := r.granules(), int64(r.Count)
	each, extra := granules/count, granules%count
	out := make([]int64, r.Count)
	for i := range out {
		out[i] = each
		if int64(i) < extra {
			out[i]++
		}
	}
	return r.shares(out), nil
}

// Sequential fills the devices in turn, floor(n/N)+1 granules each (8 units over 4
// devices: 3, 3, 2, 0). That is gPAC's rule, kept as it is: the last devices may idle.
func Sequential(r Request) ([]Share, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	left := r.granules()
	each := left/int64(r.Count) + 1
	out := make([]int64, r.Count)
	for i := range out {
		out[i] = min(each, left)
		left -= out[i]
	}
	return r.shares(out), nil
}
