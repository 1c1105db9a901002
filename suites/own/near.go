package own

import (
	"maps"
	"slices"
	"strings"
)

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// near is the end of a complaint about an unknown name: the nearest known one, else
// all of them.
func near(name string, known []string) string {
	best, at := 1+max(len(name)/3, 1), ""
	for _, k := range known {
		if d := distance(strings.ToLower(name), k); d < best {
			best, at = d, k
		}
	}
	switch {
	case at != "":
		return ": did you mean " + at + "?"
	case len(known) == 0:
		return ""
	}
	return ": there is " + strings.Join(known, ", ")
}

// distance counts the letters to insert, drop or change (Levenshtein 1966). Long
// names are only compared by their start.
func distance(a, b string) int {
	const most = 40
	a, b = a[:min(len(a), most)], b[:min(len(b), most)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
