package result

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// setAside takes the journal of a dead process that ends within its header out of the way:
// an empty one goes, another one gets the name JOURNAL.old (.old.2 and so on). The text says
// so; empty: there was nothing to keep.
func setAside(f *os.File, target string) (string, error) {
	if cutText(f, "") == "" {
		return "", os.Remove(f.Name())
	}
	name, err := freeName(target + JournalSuffix)
	if err != nil {
		return "", err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return "", unwritable(target, "its journal ends within its first line and cannot be moved aside: "+linkReason(err))
	}
	return cutText(f, name), nil
}

// cutText says what a journal is that ends within its header, and where it lies; empty:
// it holds nothing.
func cutText(f *os.File, name string) string {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return ""
	}
	return fmt.Sprintf("the journal of an earlier run ends within its first line, after %d bytes: no launch can be read from it; it is kept as %s",
		info.Size(), filepath.Base(name))
}

// beside is the result in a file beside which such a journal lay.
func beside(path, cut string) (*Result, error) {
	res, err := readFile(path)
	switch {
	case cut == "":
	case err != nil:
		err = fmt.Errorf("%w; %s", err, cut)
	default:
		res.warnAside("%s", cut)
	}
	return res, err
}

func linkReason(err error) string {
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err.Error()
	}
	return err.Error()
}
