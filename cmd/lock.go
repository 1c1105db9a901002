package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/report/result"
)

// lockDir holds one lock file per GPU.
func lockDir() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return os.TempDir()
}

// lockName identifies the card, not its index of today, and its node: machines may share the
// folder. Software devices have neither an address nor a UUID of their own; they share the
// CPU by index.
func lockName(d result.Device) string {
	id, node := d.PCI, d.Node
	if node == "" {
		node = nodeName()
	}
	switch {
	case d.Software:
		id = fmt.Sprintf("cpu-%d", d.Index)
	case id == "":
		id = d.UUID
	}
	return "amgpu-" + strings.NewReplacer(":", "-", "/", "-").Replace(node+"-"+id) + ".lock"
}

// lockNames are the lock files of a pool. Software devices of a job count on their node, as
// those of any other process there do.
func lockNames(pool []result.Device) []string {
	software := map[string]int{} // by node, so far
	out := make([]string, len(pool))
	for i, d := range pool {
		if d.Software && d.Node != "" {
			d.Index = software[d.Node]
			software[d.Node]++
		}
		out[i] = lockName(d)
	}
	return out
}

// lockDevices takes the locks of all devices, waiting for other amgpu processes
// with a message, until the context ends. The locks go when the files close.
func lockDevices(ctx context.Context, s streams, devices []result.Device) (unlock func(), err error) {
	return lockNamed(ctx, s, devices, lockNames(devices))
}

// lockNamed is lockDevices with the names of the devices' lock files.
func lockNamed(ctx context.Context, s streams, devices []result.Device, names []string) (unlock func(), err error) {
	var held []*os.File
	unlock = func() {
		for _, f := range held {
			_ = f.Close() // the kernel drops the lock in any case
		}
	}
	byName := map[string]result.Device{}
	var order []string // by name, so that two processes never wait for each other
	for i, d := range devices {
		n := names[i]
		if _, dup := byName[n]; !dup {
			order = append(order, n)
		}
		byName[n] = d
	}
	slices.Sort(order)
	for _, name := range order {
		f, err := lockFile(ctx, s, filepath.Join(lockDir(), name), byName[name])
		if err != nil {
			unlock()
			return nil, err
		}
		held = append(held, f)
	}
	return unlock, nil
}

func lockFile(ctx context.Context, s streams, path string, d result.Device) (*os.File, error) {
	// An existing file may belong to another user: reading is enough to lock it.
	f, err := os.OpenFile(path, os.O_RDONLY, 0)
	if errors.Is(err, os.ErrNotExist) {
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	}
	if err != nil {
		return nil, usage("lock file of device %d %s: %w; remove it, set XDG_RUNTIME_DIR, or add --no-lock", d.Index, d.Name, err)
	}
	for told := false; ; {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			_ = f.Close()
			return nil, fmt.Errorf("locking %s: %w; --no-lock goes on without", path, err)
		}
		if !told {
			told = true
			s.say("amgpu: device %d %s%s is used by another amgpu; waiting for it (--no-lock measures all the same)", d.Index, d.Name, prefixed(" on ", d.Node))
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
