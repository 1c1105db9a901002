package scale

import (
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// SubsetRules name how the devices of a count below the pool are chosen:
// always the first ones, another group in every block (of one device as many as
// let each have its turns), or every group in every block.
var SubsetRules = []string{"first", "rotate", "all"}

// subsets lists the groups of count out of pool devices to measure in a block,
// each in ascending order.
func subsets(rule string, pool, count, block int) [][]int {
	switch rule {
	case "all":
		return combinations(pool, count)
	case "rotate":
		set := make([]int, count)
		for i := range set {
			set[i] = (block + i) % pool
		}
		slices.Sort(set)
		return [][]int{set}
	default:
		set := make([]int, count)
		for i := range set {
			set[i] = i
		}
		return [][]int{set}
	}
}

// teams lists the groups of count devices to measure in a block: of whole groups, where the
// count is made of them.
func (c Config) teams(rule string, count, block int) [][]int {
	if len(c.Groups) == 0 || count%len(c.Groups[0]) != 0 || count == 1 || !slices.Contains(c.Whole, count/len(c.Groups[0])) {
		return subsets(rule, len(c.Pool), count, block)
	}
	var out [][]int
	for _, groups := range subsets(rule, len(c.Groups), count/len(c.Groups[0]), block) {
		var set []int
		for _, g := range groups {
			set = append(set, c.Groups[g]...)
		}
		slices.Sort(set)
		out = append(out, set)
	}
	return out
}

// fewest launches that can decide anything.
const fewest = 5

// alone lists the devices to measure alone in a block when they take turns: as many
// as it takes for each to come twice in turns blocks, or it could not be compared
// with its peers.
func alone(pool, turns, block int) [][]int {
	each := min(pool, (2*pool+turns-1)/turns)
	sets := make([][]int, each)
	for i := range sets {
		sets[i] = []int{(block*each + i) % pool}
	}
	return sets
}

// combinations lists all groups of k out of n, up to maxBlock+1 of them.
func combinations(n, k int) [][]int {
	var out [][]int
	set := make([]int, k)
	var fill func(at, from int)
	fill = func(at, from int) {
		if at == k {
			out = append(out, slices.Clone(set))
			return
		}
		for i := from; i <= n-(k-at) && len(out) <= maxBlock; i++ {
			set[at] = i
			fill(at+1, i+1)
		}
	}
	fill(0, 0)
	return out
}

// Unequal tells whether the devices differ in what decides their speed.
func Unequal(pool []result.Device) bool {
	for _, d := range pool[min(1, len(pool)):] {
		if kind(d) != kind(pool[0]) || d.Memory != pool[0].Memory {
			return true
		}
	}
	return false
}

// kind names a model with its driver. Devices of one kind compute the same bits.
func kind(d result.Device) string { return d.Name + "|" + d.Driver }
