package soft

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// Prepare makes the devices of spec the only ones that the Vulkan loader finds
// in this process: it writes one driver manifest per device to a private folder
// and names them in the environment, and divides the cores between the devices.
// Call it before vk.Open, and cleanup after the instance is closed: it restores
// the environment and removes the folder. Neither is safe beside code that reads
// the environment at the same time.
func Prepare(spec Spec) (cleanup func(), err error) {
	return prepare(spec, finder{getenv: os.Getenv}, runtime.GOMAXPROCS(0))
}

// prepare is Prepare for a machine with that many cores.
func prepare(spec Spec, f finder, cores int) (cleanup func(), err error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	var lavapipe, swiftShader icd
	if spec.Lavapipe > 0 {
		if lavapipe, err = f.lavapipe(); err != nil {
			return nil, err
		}
	}
	if spec.SwiftShader > 0 {
		if swiftShader, err = f.swiftShader(); err != nil {
			return nil, err
		}
	}
	// The loader takes the manifests' paths as they are: they must be absolute.
	tmp, err := filepath.Abs(os.TempDir())
	if err != nil {
		return nil, fmt.Errorf("temporary folder %s: %w", os.TempDir(), err)
	}
	sweep(tmp)
	dir, err := os.MkdirTemp(tmp, folderPrefix)
	if err != nil {
		return nil, fmt.Errorf("folder for the manifests of the software devices: %w", err)
	}
	note(dir)
	mark := hold(dir)
	env := environment{}
	undo := func() {
		env.restore()
		_ = os.RemoveAll(dir) // a leftover is swept by the next Prepare
		_ = mark.Close()      // drops the lock; nil is harmless
		forget(dir)
	}
	defer func() {
		if err != nil {
			undo()
		}
	}()
	if strings.ContainsRune(dir, os.PathListSeparator) {
		return nil, fmt.Errorf("the temporary folder %s has a %q in its name, which the Vulkan loader takes for the end of a path: set TMPDIR to another", dir, os.PathListSeparator)
	}
	var manifests []string
	add := func(d icd, name string, count int) error {
		for i := range count {
			path, err := d.copyTo(dir, fmt.Sprintf("%s_%d", name, i))
			if err != nil {
				return err
			}
			manifests = append(manifests, path)
		}
		return nil
	}
	if err := errors.Join(add(lavapipe, "lavapipe", spec.Lavapipe), add(swiftShader, swiftShaderTerm, spec.SwiftShader)); err != nil {
		return nil, err
	}
	list := strings.Join(manifests, string(os.PathListSeparator))
	threads := strconv.Itoa(max(1, cores/spec.Devices()))
	for _, v := range []struct{ name, value string }{
		{"VK_DRIVER_FILES", list},
		{"VK_ICD_FILENAMES", list}, // loaders before 1.3.207
		{"LP_NUM_THREADS", threads},
		// These would add drivers to the list or take them from it.
		{"VK_ADD_DRIVER_FILES", ""},
		{"VK_LOADER_DRIVERS_SELECT", ""},
		{"VK_LOADER_DRIVERS_DISABLE", ""},
	} {
		if err := env.set(v.name, v.value); err != nil {
			return nil, err
		}
	}
	return sync.OnceFunc(undo), nil
}

// copyTo makes the driver known under another name. The loader merges equal
// manifests and equal library paths to one device, but not two links to one
// library.
func (d icd) copyTo(dir, name string) (manifest string, err error) {
	link := filepath.Join(dir, "libvk_"+name+".so")
	if err := os.Symlink(d.library, link); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{
		"file_format_version": "1.0.0",
		"ICD":                 map[string]string{"library_path": link, "api_version": d.api},
	})
	if err != nil {
		return "", err
	}
	manifest = filepath.Join(dir, name+"_icd.json")
	return manifest, os.WriteFile(manifest, text, 0o600)
}

// environment remembers the variables it changed. With cgo in the program the
// C environment, which the loader and the drivers read, follows os.Setenv.
type environment map[string]*string

// set gives a variable a value, or removes it when the value is empty.
func (e environment) set(name, value string) error {
	if _, known := e[name]; !known {
		e[name] = nil
		if old, ok := os.LookupEnv(name); ok {
			e[name] = &old
		}
	}
	if value == "" {
		return os.Unsetenv(name)
	}
	return os.Setenv(name, value)
}

// restore puts the variables back. Errors are those of a bad name, which set
// would have met first.
func (e environment) restore() {
	for name, old := range e {
		if old == nil {
			_ = os.Unsetenv(name)
		} else {
			_ = os.Setenv(name, *old)
		}
	}
}
