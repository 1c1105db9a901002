package result

import (
	"errors"
	"os"
	"syscall"
)

// lockState says who holds a journal.
type lockState int

const (
	lockUnknown lockState = iota // the file system has no locks
	lockFree                     // nobody did; this process does now
	lockHeld                     // a live process does
)

// lock takes the advisory lock that lives as long as the open file, so that it
// outlasts no process. With wait it blocks until a reader has let go.
func lock(f *os.File, wait bool) lockState {
	how := syscall.LOCK_EX | syscall.LOCK_NB
	if wait {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(f.Fd()), how)
		switch {
		case err == nil:
			return lockFree
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return lockHeld
		}
		return lockUnknown
	}
}

// sameFile tells whether path still names the open file.
func sameFile(f *os.File, path string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(open, now)
}

func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
