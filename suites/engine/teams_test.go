//go:build !long

package engine

// teamSizes, chunkTeams and edgeSizes are what collectives are tried with on software
// devices; with the tag long there are more.
var (
	teamSizes  = []int{1, 3, 4}
	chunkTeams = []int{1, 3, 8}
	edgeSizes  = []int64{1, 257, 5003}
)
