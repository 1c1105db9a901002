// Package near finds the known name that somebody may have meant.
package near

import (
	"slices"
	"strings"
)

// most bounds what is compared of a name: nobody mistypes longer ones by a few letters.
const most = 64

// Name is the known name most like one that is not known: about a third of its letters
// differ at most, or one. Empty: none is alike. Upper and lower case are the same.
func Name(name string, known []string) string {
	best, at := 1+max((min(len(name), most)+1)/3, 1), ""
	for _, k := range slices.Sorted(slices.Values(known)) {
		if d := Edits(strings.ToLower(name), strings.ToLower(k)); d < best {
			best, at = d, k
		}
	}
	return at
}

// Edits counts the letters to insert, drop or change between a and b (Levenshtein 1966),
// of which the first 64 bytes are compared.
func Edits(a, b string) int {
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

// Hint is the end of a complaint about an unknown name; empty: none is alike.
func Hint(name string, known []string) string {
	if at := Name(name, known); at != "" {
		return ": did you mean " + at + "?"
	}
	return ""
}

// HintOrAll is Hint, with all known names where none is alike.
func HintOrAll(name string, known []string) string {
	if hint := Hint(name, known); hint != "" || len(known) == 0 {
		return hint
	}
	return ": there is " + strings.Join(known, ", ")
}
