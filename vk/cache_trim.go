package vk

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Names in the folder of the pipeline cache.
const (
	pipelineSuffix = ".pipeline"
	pipelineTemp   = "pipeline-"
)

// What the cache may hold. A file that was used counts as new; temporary files of
// processes that were killed go when they are surely nobody's.
const (
	cacheBytes = 256 << 20
	cacheAge   = 60 * 24 * time.Hour
	tempAge    = time.Hour
	touchAge   = 24 * time.Hour // how precisely the last use is known
)

var trimmed sync.Map // folders looked at by this process

// trimOnce keeps a cache folder within its bounds, once per process.
func trimOnce(dir string) {
	if _, done := trimmed.LoadOrStore(dir, true); !done {
		trim(dir, cacheBytes, time.Now())
	}
}

// trim removes what is too old, then the least used until the rest fits in most
// bytes. Another process may remove the same files meanwhile.
func trim(dir string, most int64, now time.Time) {
	type file struct {
		path string
		size int64
		used time.Time
	}
	var kept []file
	var total int64
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		path, age := filepath.Join(dir, e.Name()), now.Sub(info.ModTime())
		switch {
		case strings.HasPrefix(e.Name(), pipelineTemp) && age > tempAge:
			_ = os.Remove(path)
		case !strings.HasSuffix(e.Name(), pipelineSuffix):
		case age > cacheAge:
			_ = os.Remove(path)
		default:
			kept = append(kept, file{path, info.Size(), info.ModTime()})
			total += info.Size()
		}
	}
	slices.SortFunc(kept, func(a, b file) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.path, b.path)) })
	for _, f := range kept {
		if total <= most {
			return
		}
		total -= f.size
		_ = os.Remove(f.path)
	}
}

// touch notes that a file was used.
func touch(path string) {
	now := time.Now()
	if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()) > touchAge {
		_ = os.Chtimes(path, now, now) // a cache that cannot be written is read all the same
	}
}
