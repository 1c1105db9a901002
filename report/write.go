package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/amgpu/amgpu/report/result"
)

// WriteFile replaces path by content: a temporary file beside it, then a rename, so
// that a reader never sees half and a failure leaves what was there. A pipe or device
// is written to as it is. Errors name path and are of kind ErrOutput, except where the
// place is good and writing failed all the same, as on a full disk.
func WriteFile(path string, content []byte) error {
	err := writeFile(path, content)
	if err == nil {
		return nil
	}
	why := Cause(err)
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO} {
		if errors.Is(err, full) {
			return fmt.Errorf("cannot write %s: %w; make room there or choose another place", path, why)
		}
	}
	return &kindError{ErrOutput, fmt.Sprintf("cannot write %s: %v; name another place", path, why)}
}

func writeFile(path string, content []byte) error {
	mode := os.FileMode(0)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() { // a rename would put a file in a device's place
			return os.WriteFile(path, content, 0)
		}
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil { // replace the file, not the link
			return err
		}
	}
	tmp, err := result.CreateTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	_, err = tmp.Write(content)
	if err == nil && mode != 0 {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync() // else a power cut after the rename could leave an empty file
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// Cause is an error of the file system without the name of the file, which the message
// around it names as the user does: not by that of a temporary file.
func Cause(err error) error {
	var path *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
