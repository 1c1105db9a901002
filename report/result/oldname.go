package result

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// oldName is FILE.old, then FILE.old.2 and so on.
func oldName(target string, n int) string {
	if n == 1 {
		return target + ".old"
	}
	return fmt.Sprintf("%s.old.%d", target, n)
}

// mostOld bounds the search for a free name.
const mostOld = 10_000

func freeName(target string) (string, error) {
	for n := 1; n < mostOld; n++ {
		if _, err := os.Lstat(oldName(target, n)); errors.Is(err, os.ErrNotExist) {
			return oldName(target, n), nil
		} else if err != nil {
			return "", err
		}
	}
	return "", unwritable(target, "no free name for what lies there: move its .old files away")
}

// keepAside gives what target holds a second name that nothing has yet. target itself
// stays until it is replaced, so that it is there at every moment. undo takes the
// name away again.
func keepAside(target string) (name string, undo func() error, err error) {
	for n := 1; n < mostOld; n++ {
		name = oldName(target, n)
		if same(name, target) { // a fold that was killed half-way made it
			return name, func() error { return nil }, nil
		}
		err = os.Link(target, name)
		if err != nil && !errors.Is(err, os.ErrExist) { // a file system without hard links
			err = copyNew(target, name)
		}
		if !errors.Is(err, os.ErrExist) {
			return name, func() error { return os.Remove(name) }, err
		}
	}
	return "", nil, unwritable(target, "no free name for what lies there: move its .old files away")
}

func same(a, b string) bool {
	x, errX := os.Lstat(a)
	y, errY := os.Lstat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// copyNew copies a file to a name that must be free.
func copyNew(from, to string) error {
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, bytes.NewReader(raw))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}
