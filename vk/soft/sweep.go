package soft

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

// folderPrefix begins the names of the private folders of manifests.
const folderPrefix = "amgpu-soft-"

// settled is the age from which a folder without a lock is a leftover: a younger
// one may be about to get its lock.
const settled = time.Minute

// made are the folders of this process that were not removed yet.
var made struct {
	sync.Mutex
	dirs []string
}

// RemoveFolders removes the folders of this process, for one that ends at once: the
// environment goes on naming them.
func RemoveFolders() {
	made.Lock()
	defer made.Unlock()
	for _, dir := range made.dirs {
		_ = os.RemoveAll(dir) // a leftover is swept by the next Prepare
	}
	made.dirs = nil
}

// note remembers a folder, forget drops it.
func note(dir string) {
	made.Lock()
	defer made.Unlock()
	made.dirs = append(made.dirs, dir)
}

func forget(dir string) {
	made.Lock()
	defer made.Unlock()
	made.dirs = slices.DeleteFunc(made.dirs, func(d string) bool { return d == dir })
}

// hold locks a folder for as long as the file stays open, and so never longer
// than the process lives; nil where folders cannot be locked.
func hold(dir string) *os.File {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close() // only opened to be locked
		return nil
	}
	return f
}

// sweep removes the folders that killed processes left in the temporary folder.
// What cannot be removed, such as those of other users, stays.
func sweep(tmp string) {
	left, err := filepath.Glob(filepath.Join(tmp, folderPrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < settled {
			continue
		}
		if f := hold(dir); f != nil {
			_ = os.RemoveAll(dir)
			_ = f.Close()
		}
	}
}
