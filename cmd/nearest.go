package cmd

import (
	"slices"
	"strings"
)

// nearest is the known name most like one that is not known; empty: none is alike.
func nearest(name string, known []string) string {
	best, at := 1+max(len(name)/3, 1), ""
	for _, k := range slices.Sorted(slices.Values(known)) {
		if d := edits(strings.ToLower(name), strings.ToLower(k)); d < best {
			best, at = d, k
		}
	}
	return at
}

// edits counts the letters to insert, drop or change (Levenshtein 1966).
func edits(a, b string) int {
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

// didYouMean is the end of a complaint about an unknown name.
func didYouMean(name string, known []string) string {
	if at := nearest(name, known); at != "" {
		return ": did you mean " + at + "?"
	}
	return ""
}
