package peer

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/vk"
)

// cacheVersion changes when a transport or its verification does.
const cacheVersion = 1

// Cache remembers which links of GPUs were verified, in memory and in a file. The
// kernel, the drivers and the devices are part of what is remembered: after a
// change of one of them a link is verified anew. Failures are not remembered, nor
// are links of software devices. Safe for several goroutines.
type Cache struct {
	path string // empty: in memory only

	mu   sync.Mutex
	file cacheFile
}

// cacheFile is the file: links by transport and devices, with the time at which
// they were verified.
type cacheFile struct {
	Version int                  `json:"version"`
	Kernel  string               `json:"kernel"`
	Links   map[string]time.Time `json:"links"`
}

// OpenCache reads the cache at a path; an empty one keeps it in memory. A file
// that is missing, damaged or of another version or kernel counts as empty.
func OpenCache(path string) *Cache {
	c := &Cache{path: path}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &c.file) // damaged: verified anew
	}
	if kernel := kernelRelease(); c.file.Version != cacheVersion || c.file.Kernel != kernel || c.file.Links == nil {
		c.file = cacheFile{cacheVersion, kernel, map[string]time.Time{}}
	}
	return c
}

// kernelRelease is the running kernel's release and build.
func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:]) + " " + unix.ByteSliceToString(u.Version[:])
}

// linkKey names a transport between two devices with their drivers; empty: not to
// be remembered.
func linkKey(transport string, from, to *vk.Info) string {
	if from.Software() || to.Software() {
		return ""
	}
	device := func(i *vk.Info) string {
		return fmt.Sprintf("%s %s %s %s %s %s", i.PCI, i.UUIDString(), i.Name, i.DriverName, i.DriverVersion, i.APIVersion)
	}
	return transport + ": " + device(from) + " -> " + device(to)
}

// verify returns nil or an error for each link, verifying those that are not
// known. Safe on nil, which knows nothing.
func (c *Cache) verify(t Transport, team []*vk.Device, links []pair, p *prober) []error {
	if c == nil {
		return p.verifyAll(t, links)
	}
	errs := make([]error, len(links))
	var open []pair
	var at []int
	for i, l := range links {
		if !c.knows(t.Name(), team[l.from].Info(), team[l.to].Info()) {
			open, at = append(open, l), append(at, i)
		}
	}
	learnt := false
	for k, err := range p.verifyAll(t, open) {
		errs[at[k]] = err
		learnt = c.learn(t.Name(), team[open[k].from].Info(), team[open[k].to].Info(), err) || learnt
	}
	if learnt {
		c.save()
	}
	return errs
}

// knows says whether a link was verified.
func (c *Cache) knows(transport string, from, to *vk.Info) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.file.Links[linkKey(transport, from, to)]
	return ok
}

// learn notes a link that was verified.
func (c *Cache) learn(transport string, from, to *vk.Info, err error) bool {
	key := linkKey(transport, from, to)
	if err != nil || key == "" {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.file.Links[key] = time.Now().UTC().Truncate(time.Second)
	return true
}

// save writes the file through a temporary one. A cache that cannot be written
// costs time at the next start and nothing else.
func (c *Cache) save() {
	if c.path == "" {
		return
	}
	c.mu.Lock()
	data, err := json.MarshalIndent(c.file, "", "  ")
	c.mu.Unlock()
	if err != nil || os.MkdirAll(filepath.Dir(c.path), 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(c.path), ".links-*")
	if err != nil {
		return
	}
	_, err = f.Write(append(data, '\n'))
	if closed := f.Close(); err != nil || closed != nil || os.Rename(f.Name(), c.path) != nil {
		_ = os.Remove(f.Name())
	}
}
