// Package input opens the files that users feed to workloads, tells their formats apart and
// reads the headers that several workloads share. Its errors say what to give instead.
package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// File is an open file: a plain one that is not empty.
type File struct {
	*os.File
	Size  int64 // bytes
	Stamp int64 // tells versions of a file apart
	Kind  Kind  // one of those asked for, or empty
}

// Open opens the file of --input. want says what to give and ends every error; kinds are the
// formats that the workload reads. Another one that the first bytes tell of is refused, and
// so are folders, pipes and devices, from which reading may never end.
func Open(path, want string, kinds ...Kind) (*File, error) {
	f, err := Plain(path, want)
	if err != nil {
		return nil, err
	}
	head := make([]byte, min(headBytes, f.Size))
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, errors.Join(fmt.Errorf("input %s: %w: give %s", path, Cause(err), want), f.Close())
	}
	if f.Kind = KindOf(head); f.Kind != "" && !slices.Contains(kinds, f.Kind) {
		return nil, errors.Join(fmt.Errorf("input %s, byte 0: this is %s: %s", filepath.Base(path), f.Kind, f.Kind.advice(want)), f.Close())
	}
	return f, nil
}

// Plain is Open for a file of any format.
func Plain(path, want string) (*File, error) {
	// Opening a pipe waits for its other end and opening a device may do something: look first.
	info, err := os.Stat(path)
	if err == nil {
		err = plain(info)
	}
	if err != nil {
		return nil, fmt.Errorf("input %s: %w: give %s", path, Cause(err), want)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("input %s: %w: give %s that you may read", path, Cause(err), want)
	}
	if info, err = f.Stat(); err == nil {
		err = plain(info)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("input %s: %w: give %s", path, Cause(err), want), f.Close())
	}
	return &File{File: f, Size: info.Size(), Stamp: info.ModTime().UnixNano() ^ info.Size()}, nil
}

// plain says why something cannot be read like a file.
func plain(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return errors.New("is a folder, not a file")
	case mode&fs.ModeNamedPipe != 0:
		return errors.New("is a pipe, not a file")
	case !mode.IsRegular():
		return errors.New("is a device or socket, not a file")
	case info.Size() == 0:
		return errors.New("the file is empty")
	}
	return nil
}

// Cause is what the system says about a file, without the call and the name; a read beyond
// the end says that the file became shorter.
func Cause(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it became shorter while it was read")
	}
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Fault is an error at an offset of a file, in bytes.
func Fault(offset int64, format string, args ...any) error {
	return fmt.Errorf("byte %d: %s", offset, fmt.Sprintf(format, args...))
}
