package vk

import (
	"cmp"
	"slices"
)

// arrange sorts items by PCI address, those without one behind in the order of
// enumeration, and sets Index and DuplicateOf. Of the entries of one card the
// first that works is the original; failed says which do not.
func arrange[T any](items []T, info func(T) *Info, failed func(T) bool) {
	slices.SortStableFunc(items, func(a, b T) int {
		x, y := info(a).PCI, info(b).PCI
		if (x == "") != (y == "") {
			return cmp.Compare(y, x) // the empty one last
		}
		return cmp.Compare(x, y)
	})
	originals := make([]*Info, 0, len(items))
	claim := func(want bool) {
		for k, item := range items {
			i := info(item)
			i.Index = k
			if failed(item) != want {
				continue
			}
			i.DuplicateOf = -1
			same := slices.IndexFunc(originals, func(o *Info) bool { return sameCard(o, i) })
			if same < 0 {
				originals = append(originals, i)
				continue
			}
			i.DuplicateOf = originals[same].Index
		}
	}
	claim(false)
	claim(true)
}

// sameCard reports whether two entries are one card: the same PCI address, or,
// where an address is missing, the same UUID reported by two drivers. Copies of
// one software driver report the same UUID and yet are devices of their own.
func sameCard(a, b *Info) bool {
	if a.Software() || b.Software() {
		return false
	}
	if a.PCI != "" && b.PCI != "" {
		return a.PCI == b.PCI
	}
	return a.UUID == b.UUID && a.UUID != [16]byte{} && (a.DriverID != b.DriverID || a.DriverUUID != b.DriverUUID)
}
