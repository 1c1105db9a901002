package own

import (
	"maps"
	"slices"
)

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
