package cmd

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk/soft"
)

// leftovers are temporary files and folders that go also when the process ends at once,
// without its deferred functions.
var leftovers struct {
	sync.Mutex
	paths map[string]int // how often each was named
}

// leftover names a temporary file or folder, or with a * at its end all that begin so,
// until gone is called.
func leftover(path string) (gone func()) {
	leftovers.Lock()
	defer leftovers.Unlock()
	if leftovers.paths == nil {
		leftovers.paths = map[string]int{}
	}
	leftovers.paths[path]++
	return sync.OnceFunc(func() {
		leftovers.Lock()
		defer leftovers.Unlock()
		if leftovers.paths[path]--; leftovers.paths[path] == 0 {
			delete(leftovers.paths, path)
		}
	})
}

// unfinished names what this process may be writing beside a file, before it gets its name.
func unfinished(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".amgpu-%d-*", os.Getpid()))
}

// exitNow ends the process without waiting for anything, and leaves no temporary file.
func exitNow(code int) {
	result.NoMoreTemp() // what another goroutine would begin after this
	soft.RemoveFolders()
	removeLeftovers()
	os.Exit(code)
}

func removeLeftovers() {
	leftovers.Lock()
	defer leftovers.Unlock()
	for _, path := range slices.Sorted(maps.Keys(leftovers.paths)) {
		prefix, many := strings.CutSuffix(filepath.Base(path), "*")
		if !many {
			_ = os.RemoveAll(path) // the process ends, whatever comes of it
			continue
		}
		dir := filepath.Dir(path)
		entries, _ := os.ReadDir(dir) // none: there is nothing to remove
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), prefix) {
				_ = os.RemoveAll(filepath.Join(dir, e.Name()))
			}
		}
	}
}
