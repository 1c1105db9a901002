package tune

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
)

// cacheVersion changes when constants mean something else than before.
const cacheVersion = 1

// Key is what constants depend on.
type Key struct {
	Workload  string `json:"workload"`
	Split     string `json:"split"`
	Params    string `json:"params"`     // of the workload, "name=value", sorted
	SizeClass int    `json:"size_class"` // sizes from 2^n to below 2^(n+1)
	Shaders   string `json:"shaders"`    // hex sha256 of those that run with the defaults
	Device    string `json:"device"`     // name
	Driver    string `json:"driver"`     // name and version
}

// SizeClass is the power of two at or below a size.
func SizeClass(n int64) int { return bits.Len64(uint64(max(n, 1))) - 1 }

// ParamText is Key.Params.
func ParamText(params map[string]int64) string {
	var out []string
	for name, v := range params {
		out = append(out, fmt.Sprintf("%s=%d", name, v))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// Entry is the outcome of a search.
type Entry struct {
	Key
	// Constants that were faster than the defaults; empty: none were. Shaders are those
	// that run with them.
	Constants  map[string]int64 `json:"constants"`
	WinShaders string           `json:"winner_shaders"`
	Gain       *result.Value    `json:"gain,omitempty"`
	Found      time.Time        `json:"found"`
}

// Cache keeps entries, each in a file of its own that is replaced as a whole: commands
// that run at the same time never see half of one. A nil or empty cache knows nothing.
type Cache struct{ dir string }

// OpenCache is the cache in a folder; an empty name: none.
func OpenCache(dir string) *Cache { return &Cache{dir} }

// file is what is written: the entry, and the hex sha256 of its bytes.
type file struct {
	Version int             `json:"version"`
	Sum     string          `json:"sum"`
	Entry   json.RawMessage `json:"entry"`
}

func sum(raw []byte) string {
	s := sha256.Sum256(raw)
	return hex.EncodeToString(s[:])
}

// path of a key's file: its name holds the workload for people, and a hash.
func (c *Cache) path(k Key) string {
	raw, err := json.Marshal(k)
	if err != nil { // strings and a number
		panic(err)
	}
	return filepath.Join(c.dir, strings.ReplaceAll(k.Workload, "/", "-")+"-"+sum(raw)[:16]+".json")
}

// Get returns what a search found for a key. An entry that is damaged, of other
// constants than these tunables or of another version is an error, and is not used.
func (c *Cache) Get(k Key, tunables []suites.Tunable) (e Entry, found bool, err error) {
	if c == nil || c.dir == "" {
		return e, false, nil
	}
	path := c.path(k)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return e, false, nil
	}
	if err == nil {
		e, err = decode(raw, k, tunables)
	}
	if err != nil {
		return Entry{}, false, fmt.Errorf("constants of %s in %s are not used: %w; --tune searches them anew", k.Workload, path, err)
	}
	return e, true, nil
}

func decode(raw []byte, k Key, tunables []suites.Tunable) (e Entry, err error) {
	var f file
	if err := json.Unmarshal(raw, &f); err != nil {
		return e, fmt.Errorf("the file is damaged: %w", err)
	}
	if f.Version != cacheVersion {
		return e, fmt.Errorf("version %d, this is %d", f.Version, cacheVersion)
	}
	if sum(f.Entry) != f.Sum {
		return e, errors.New("the file is damaged: its checksum is another one")
	}
	if err := json.Unmarshal(f.Entry, &e); err != nil {
		return e, fmt.Errorf("the file is damaged: %w", err)
	}
	if e.Key != k {
		return e, errors.New("the file belongs to something else")
	}
	for name, v := range e.Constants {
		at := slices.IndexFunc(tunables, func(t suites.Tunable) bool { return t.Name == name })
		if at < 0 || !slices.Contains(tunables[at].Values, v) {
			return e, fmt.Errorf("%s=%d is no choice any more", name, v)
		}
	}
	return e, nil
}

// Put keeps an entry in place of an older one.
func (c *Cache) Put(e Entry) error {
	if c == nil || c.dir == "" {
		return nil
	}
	entry, err := json.Marshal(e)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(file{cacheVersion, sum(entry), entry})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(c.dir, ".tune-*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(raw, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), c.path(e.Key))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
