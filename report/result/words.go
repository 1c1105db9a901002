package result

import (
	"fmt"
	"slices"
	"strings"
)

// Words that a result may use; a reader that meets another one cannot know what it
// means, so it refuses it rather than treat it as one of these.
var (
	Modes       = []string{"strong", "weak", "solo"}
	Statuses    = []string{OK, Unsupported, Skipped, WrongResult, DeviceLost, Degraded, Throttled, AbovePeak}
	Residencies = []string{"resident", "end-to-end"}
	Caches      = []string{"hot", "cold"}
)

// badKey says what is impossible about a row's key. Imported data has no residency and
// no cache.
func badKey(k Key) string {
	switch {
	case !slices.Contains(Modes, k.Mode):
		return unknown("mode", k.Mode, Modes)
	case k.Residency != "" && !slices.Contains(Residencies, k.Residency):
		return unknown("residency", k.Residency, Residencies)
	case k.Cache != "" && !slices.Contains(Caches, k.Cache):
		return unknown("cache", k.Cache, Caches)
	case k.Size.N < 0 || k.Size.PerGPU < 0:
		return fmt.Sprintf("size %d; it cannot be negative", min(k.Size.N, k.Size.PerGPU))
	}
	return ""
}

func unknown(what, word string, known []string) string {
	return fmt.Sprintf("%s %.40q; this amgpu knows %s", what, word, strings.Join(known, ", "))
}
