package cmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// mesaCacheRoom is what Mesa's own cache of shaders needs: its index has 1.3 MB.
const mesaCacheRoom = 4 << 20

// mesaCacheSwitches turn that cache off, in Mesa from 22.1 on and before.
var mesaCacheSwitches = []string{"MESA_SHADER_CACHE_DISABLE", "MESA_GLSL_CACHE_DISABLE"}

// spareMesaCache turns Mesa's cache of shaders off where its folder has no room. Mesa maps
// the index of the cache into memory, and where the disk has no block for what it writes
// there, SIGBUS ends the process, in a thread of the driver: no launch would be told of. It
// must come before the loader starts.
func spareMesaCache(getenv func(string) string, room func(folder string) (uint64, error)) error {
	for _, name := range mesaCacheSwitches {
		if getenv(name) != "" { // the user's own
			return nil
		}
	}
	folder := mesaCacheFolder(getenv)
	if folder == "" {
		return nil
	}
	free, err := room(folder)
	for errors.Is(err, fs.ErrNotExist) && filepath.Dir(folder) != folder { // Mesa will make it
		folder = filepath.Dir(folder)
		free, err = room(folder)
	}
	if short := err == nil && free < mesaCacheRoom; !short { // or not known
		return nil
	}
	for _, name := range mesaCacheSwitches {
		if err := os.Setenv(name, "true"); err != nil {
			return err
		}
	}
	return nil
}

// mesaCacheFolder is where Mesa keeps shaders; empty: nowhere that is known.
func mesaCacheFolder(getenv func(string) string) string {
	for _, name := range []string{"MESA_SHADER_CACHE_DIR", "MESA_GLSL_CACHE_DIR", "XDG_CACHE_HOME"} {
		if folder := getenv(name); folder != "" {
			return folder
		}
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".cache")
	}
	return ""
}

// freeBytes are those that this process may still write below a folder.
func freeBytes(folder string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}
