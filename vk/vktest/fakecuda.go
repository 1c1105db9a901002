package vktest

import (
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/vk"
)

// FakeCUDA puts a CUDA driver made for tests in the place of the real one, for this test and
// the processes that it starts: all software devices of one lavapipe are devices of it, reach
// each other's memory and share it with other processes. The adapter is one of them.
func FakeCUDA(t testing.TB, a *vk.Adapter) {
	t.Helper()
	d, err := a.Open(vk.DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, fd, err := d.NewShared(4096, vk.Opaque, vk.DeviceLocal)
	if err != nil {
		t.Fatal(err)
	}
	// What Mesa's os_memory_fd.c writes before memory that it exports: two sizes and a UUID.
	var header [32]byte
	if _, err := unix.Pread(fd, header[:], 0); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{unix.Close(fd), b.Close(), d.Close()} {
		if err != nil {
			t.Error(err)
		}
	}
	path := filepath.Join(t.TempDir(), "libcuda.so.1")
	out, err := exec.Command("cc", "-shared", "-fPIC", "-O1", "-o", path, filepath.Join(root(t), "vk/peer/internal/cuda/testdata/fakecuda.c")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("AMGPU_CUDA_LIBRARY", path)
	t.Setenv("FAKECUDA_ALL", "1")
	t.Setenv("FAKECUDA_HEADER", hex.EncodeToString(header[16:]))
}

// root is the folder of the module that the test lies in.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("the test lies in no module")
		}
		dir = filepath.Dir(dir)
	}
}
