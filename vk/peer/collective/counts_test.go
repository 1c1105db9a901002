//go:build !long

package collective

// everyCount is a part of 0 to 257; the tag long has all.
var everyCount = []int64{0, 1, 2, 7, 100, 257}

var largeCounts = []int64{511}

// mostBlock bounds the blocks of an all-to-all.
const mostBlock = 80

// inPlaces says whether an all-reduce of n elements is tried in place, apart or both.
func inPlaces(n int64) []bool { return []bool{n%2 == 1} }
