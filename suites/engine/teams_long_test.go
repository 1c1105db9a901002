//go:build long

package engine

var (
	teamSizes  = []int{1, 2, 3, 4, 8}
	chunkTeams = []int{1, 2, 3, 4, 5, 6, 7, 8}
	edgeSizes  = []int64{1, 2, 3, 63, 64, 65, 255, 256, 257, 1023, 4096, 5003, 200003}
)
