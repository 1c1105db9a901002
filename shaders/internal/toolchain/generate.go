package toolchain

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Generate compiles the modules of a shader folder whose name starts with prefix
// (all for ""), validates and writes each .spv, drops entries and modules whose
// source is gone, and updates the manifest. It returns the names compiled.
//
// The folder is locked meanwhile, so two runs for different families do not lose each
// other's entries.
func Generate(dir, prefix string, c Compiler) (done []string, err error) {
	unlock, err := lock(dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	manifest, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	names, err := Sources(dir)
	if err != nil {
		return nil, err
	}
	if err := prune(dir, prefix, manifest, names); err != nil {
		return nil, err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		words, entry, err := c.Compile(dir, name)
		if err != nil {
			return done, err
		}
		module := filepath.Join(dir, filepath.FromSlash(name)+".spv")
		if err := replace(module, words); err != nil {
			return done, err
		}
		manifest[name] = entry
		done = append(done, name)
		// Written module by module: a later error must not leave a .spv unlisted.
		if err := manifest.Write(dir); err != nil {
			return done, err
		}
	}
	if err := manifest.Write(dir); err != nil {
		return done, err
	}
	if len(done) == 0 && prefix != "" {
		return nil, fmt.Errorf("no shader starts with %q in %s: give a family as in engine/ or a name as in engine/fill", prefix, dir)
	}
	return done, nil
}

// prune removes what has lost its source.
func prune(dir, prefix string, m Manifest, names []string) error {
	have := map[string]bool{}
	for _, n := range names {
		have[n] = true
	}
	for name := range m {
		if strings.HasPrefix(name, prefix) && !have[name] {
			delete(m, name)
		}
	}
	modules, err := Modules(dir)
	if err != nil {
		return err
	}
	for _, name := range modules {
		if strings.HasPrefix(name, prefix) && !have[name] {
			if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name)+".spv")); err != nil {
				return err
			}
		}
	}
	return nil
}

// lock takes an exclusive lock on the folder itself, which leaves no file behind.
func lock(dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return func() { _ = f.Close() }, nil
}
