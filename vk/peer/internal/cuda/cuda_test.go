package cuda

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fake compiles testdata/fakecuda.c and lets Open find it.
func fake(t *testing.T) *Library {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libcuda.so.1")
	compile(t, path)
	t.Setenv("AMGPU_CUDA_LIBRARY", path)
	l, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func compile(t *testing.T, path string) {
	t.Helper()
	out, err := exec.Command("cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-o", path, "testdata/fakecuda.c").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func device(t *testing.T, l *Library, uuid byte) *Device {
	t.Helper()
	d, err := l.Device([16]byte{uuid})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestOpenRefusals(t *testing.T) {
	for _, test := range []struct{ path, want string }{
		{"/nonexistent/libcuda.so.1", "/nonexistent/libcuda.so.1"},
		{"libm.so.6", "libm.so.6 has no cuInit"},
	} {
		t.Setenv("AMGPU_CUDA_LIBRARY", test.path)
		if _, err := Open(); !errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.path, err)
		}
	}
	t.Setenv("FAKECUDA_FAIL", "cuInit")
	path := filepath.Join(t.TempDir(), "libcuda.so.1")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", path, "testdata/fakecuda.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("AMGPU_CUDA_LIBRARY", path)
	if _, err := Open(); !errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), "cuInit: CUDA_ERROR_UNKNOWN") {
		t.Errorf("cuInit fails: %v", err)
	}
}

func TestDevices(t *testing.T) {
	l := fake(t)
	if again, err := Open(); err != nil || again != l {
		t.Errorf("second Open: %v, %v", again == l, err)
	}
	a, b, c := device(t, l, 1), device(t, l, 2), device(t, l, 3)
	if again := device(t, l, 1); again != a {
		t.Error("one device was opened twice")
	}
	for _, test := range []struct {
		from, to *Device
		want     bool
	}{{a, b, true}, {b, a, true}, {a, c, false}, {c, b, false}} {
		if can, err := test.from.Reaches(test.to); err != nil || can != test.want {
			t.Errorf("reaches: %v, %v; want %v", can, err, test.want)
		}
	}
	for _, uuid := range []byte{4, 9} {
		if _, err := l.Device([16]byte{uuid}); !errors.Is(err, ErrAbsent) {
			t.Errorf("device %d: %v", uuid, err)
		}
	}
}

// Memory has an address at which it can be written, and the same bytes behind
// its file descriptor.
func TestMemory(t *testing.T) {
	l := fake(t)
	a, b := device(t, l, 1), device(t, l, 2)
	m, fd, err := a.Alloc(100000, []*Device{b})
	if err != nil {
		t.Fatal(err)
	}
	if m.Size() != 2<<16 {
		t.Errorf("%d bytes, want whole granules", m.Size())
	}
	at := m.Address()
	mem := unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), m.Size())
	copy(mem[70000:], "through the descriptor")
	got := make([]byte, 22)
	if _, err := unix.Pread(fd, got, 70000); err != nil || string(got) != "through the descriptor" {
		t.Errorf("read %q, %v", got, err)
	}
	if err := unix.Close(fd); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	_, _, err = a.Alloc(1<<41, nil)
	var call *Error
	if !errors.Is(err, ErrOutOfMemory) || !errors.As(err, &call) || call.Call != "cuMemCreate" {
		t.Errorf("too much: %v", err)
	}
}

// Memory that another process exported is the same bytes at another address, for as long as it
// is mapped, also when its owner has freed it. No descriptor is left.
func TestImport(t *testing.T) {
	l := fake(t)
	a, b := device(t, l, 1), device(t, l, 2)
	before := descriptors(t)
	m, fd, err := a.Alloc(100000, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := m.Export()
	if err != nil {
		t.Fatal(err)
	}
	other, err := b.Import(second, m.Size())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(unix.Close(fd), unix.Close(second)); err != nil {
		t.Error(err)
	}
	bytesAt := func(m *Memory) []byte {
		at := m.Address()
		return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), m.Size())
	}
	if other.Address() == m.Address() || other.Size() != m.Size() {
		t.Fatalf("%d bytes at %#x, of %d at %#x", other.Size(), other.Address(), m.Size(), m.Address())
	}
	copy(bytesAt(m)[70000:], "from the owner")
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if got := string(bytesAt(other)[70000:70014]); got != "from the owner" {
		t.Errorf("read %q", got)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
	if _, err := b.Import(-1, 4096); err == nil {
		t.Error("no descriptor was imported")
	}
}

// descriptors counts the open ones of this process.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// A GPU that the driver hides is not known to be reached, nor not to be.
func TestReachesUUID(t *testing.T) {
	l := fake(t)
	a := device(t, l, 1)
	for uuid, want := range map[byte][2]bool{2: {true, true}, 3: {false, true}, 9: {false, false}} {
		can, shown, err := a.ReachesUUID([16]byte{uuid})
		if err != nil || can != want[0] || shown != want[1] {
			t.Errorf("device %d: reached %v, shown %v, %v", uuid, can, shown, err)
		}
	}
	t.Setenv("FAKECUDA_ONLY", "0")
	if can, shown, err := a.ReachesUUID([16]byte{2}); err != nil || can || shown {
		t.Errorf("a hidden device: reached %v, shown %v, %v", can, shown, err)
	}
}

// When any call of an allocation or a stream fails, the error names it and all
// that was made before is undone.
func TestFailuresAreUndone(t *testing.T) {
	l := fake(t)
	a := device(t, l, 1)
	undone := map[string]string{"cuMemCreate": "cuMemRelease", "cuMemAddressReserve": "cuMemAddressFree", "cuMemMap": "cuMemUnmap", "cuStreamCreate": "cuStreamDestroy", "cuEventCreate": "cuEventDestroy", "cuMemImportFromShareableHandle": "cuMemRelease"}
	other, shared, err := device(t, l, 2).Alloc(4096, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(unix.Close(shared), other.Close()); err != nil {
			t.Error(err)
		}
	}()
	share := func() error { _, err := a.Import(shared, other.Size()); return err }
	export := func() error { _, err := other.Export(); return err }
	alloc := func() error { _, _, err := a.Alloc(4096, nil); return err }
	stream := func() error { _, err := a.NewStream(); return err }
	for _, test := range []struct {
		name string
		try  func() error
	}{
		{"cuCtxSetCurrent", alloc}, {"cuMemGetAllocationGranularity", alloc}, {"cuMemCreate", alloc}, {"cuMemAddressReserve", alloc},
		{"cuMemMap", alloc}, {"cuMemSetAccess", alloc}, {"cuMemExportToShareableHandle", alloc},
		{"cuCtxSetCurrent", share}, {"cuMemImportFromShareableHandle", share}, {"cuMemAddressReserve", share}, {"cuMemMap", share}, {"cuMemSetAccess", share},
		{"cuCtxSetCurrent", export}, {"cuMemExportToShareableHandle", export},
		{"cuCtxSetCurrent", stream}, {"cuStreamCreate", stream}, {"cuEventCreate", stream},
	} {
		log := filepath.Join(t.TempDir(), "log")
		t.Setenv("FAKECUDA_LOG", log)
		t.Setenv("FAKECUDA_FAIL", test.name)
		err := test.try()
		if err == nil || !strings.Contains(err.Error(), test.name+": CUDA_ERROR_UNKNOWN") {
			t.Errorf("%s fails: %v", test.name, err)
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		done, reversed := map[string]int{}, map[string]int{} // by what undoes it
		for made, undo := range undone {
			done[undo] += bytes.Count(text, []byte(made+" 0\n"))
			reversed[undo] = bytes.Count(text, []byte(undo+" 0\n"))
		}
		for undo, n := range done {
			if u := reversed[undo]; n != u {
				t.Errorf("%s fails: %d to undo by %s, done %d times", test.name, n, undo, u)
			}
		}
	}
}

// Multicast objects can put the GPUs of a shared host out of service: no file of
// this module names the calls that make them, or switches on what uses them.
func TestNoMulticast(t *testing.T) {
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	banned := []string{"cuMulti" + "cast", "cudaMulti" + "cast", "NVLS_ENABLE=" + "1", "multi" + "mem"}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return fs.SkipDir
		}
		switch filepath.Ext(path) {
		case ".go", ".c", ".h", ".sh", ".comp", ".glsl", ".cu", ".py":
		default:
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, word := range banned {
			if bytes.Contains(text, []byte(word)) {
				return fmt.Errorf("%s names %s", path, word)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
