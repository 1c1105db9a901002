package result

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

var (
	tempCount atomic.Int64
	// beginning is held while a temporary file is made, and for good once none may be.
	beginning sync.RWMutex
)

// CreateTemp makes a new file beside those it will be renamed to, .amgpu-PID-N.tmp, with the
// permissions of an ordinary one (os.CreateTemp would make it private) and a name short
// enough anywhere.
func CreateTemp(dir string) (*os.File, error) {
	beginning.RLock()
	defer beginning.RUnlock()
	for {
		name := fmt.Sprintf(".amgpu-%d-%d.tmp", os.Getpid(), tempCount.Add(1))
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, os.ErrExist) {
			return f, err
		}
	}
}

// NoMoreTemp holds whoever calls CreateTemp from now on: the process is about to remove what
// such files it has, and to end. A file system that does not answer is waited for 50 ms.
func NoMoreTemp() {
	for range 50 {
		if beginning.TryLock() {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
