//go:build long

package collective

var everyCount = func() []int64 {
	out := make([]int64, 258)
	for i := range out {
		out[i] = int64(i)
	}
	return out
}()

var largeCounts = []int64{511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049}

// mostBlock bounds the blocks of an all-to-all.
const mostBlock = 257

// inPlaces says whether an all-reduce of n elements is tried in place, apart or both.
func inPlaces(int64) []bool { return []bool{false, true} }
