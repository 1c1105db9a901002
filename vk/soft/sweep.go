package soft

import (
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// folderPrefix begins the names of the private folders of manifests.
const folderPrefix = "amgpu-soft-"

// settled is the age from which a folder without a lock is a leftover: a younger
// one may be about to get its lock.
const settled = time.Minute

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
