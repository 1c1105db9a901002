package vk_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// Many build the same pipelines at once in one folder, in which files are damaged,
// cut short and removed meanwhile: every build succeeds and computes what it should.
func TestPipelineCacheShared(t *testing.T) {
	const builders, rounds = 4, 12
	_, adapters := vktest.Team(t, "2")
	dir := t.TempDir()
	var all, vandal sync.WaitGroup
	stop := make(chan struct{})
	vandal.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			files, _ := filepath.Glob(filepath.Join(dir, "*.pipeline"))
			for _, f := range files {
				switch n % 3 {
				case 0:
					_ = os.Truncate(f, 40)
				case 1:
					_ = os.WriteFile(f, []byte("not a pipeline, but longer than any checksum could be by far"), 0o600)
				case 2:
					_ = os.Remove(f)
				}
			}
		}
	})
	code := spirv(t, "step")
	for b := range builders {
		d, err := adapters[b%len(adapters)].Open(vk.DeviceOptions{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			defer func() {
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			}()
			for round := range rounds {
				k, err := d.NewKernel(code, vk.KernelOptions{Name: "step", Hash: "abc", Bindings: 1, PushBytes: 4, Spec: []vk.SpecConst{{ID: 0, Value: uint32(round%3 + 1)}}})
				if err != nil {
					t.Error(err)
					return
				}
				if err := k.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	close(stop)
	vandal.Wait()
}

// A cache that the driver does not take is dropped and the pipeline built without.
func TestPipelineCacheRefused(t *testing.T) {
	dir := t.TempDir()
	build := func(fault string) error {
		devices := injected(t, fault, vk.DeviceOptions{CacheDir: dir})
		k, err := devices[0].NewKernel(spirv(t, "step"), vk.KernelOptions{Name: "step", Hash: "abc", Bindings: 1, PushBytes: 4})
		if err == nil {
			closes(t, k)
		}
		return err
	}
	t.Run("first", func(t *testing.T) {
		if err := build("nth=1"); err != nil {
			t.Fatal(err)
		}
	})
	before := builtAt(t, dir)
	t.Run("refused", func(t *testing.T) {
		if err := build("call=vkCreatePipelineCache,result=VK_ERROR_UNKNOWN"); err != nil {
			t.Fatal(err)
		}
	})
	if after := builtAt(t, dir); after.ModTime().Equal(before.ModTime()) {
		t.Error("the file that the driver refused was not written again")
	}
}

func builtAt(t *testing.T, dir string) os.FileInfo {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.pipeline"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v %v", files, err)
	}
	info, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return info
}
