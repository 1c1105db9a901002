package cuda

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// conducted are the calls that only a schedule makes (stream start and poll): the fault
// matrix of the command lets each of them fail.
var conducted = []string{"cuEventRecord", "cuEventQuery", "cuMemcpyDtoDAsync"}

// symbols are the functions of the driver that this package calls.
func symbols(t *testing.T) (out []string) {
	t.Helper()
	text, err := os.ReadFile("cuda.h")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`X\(\w+, "(cu\w+?)(?:_v2)?",`).FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	return out
}

// everything opens two devices and does with them what a transport does, copies aside.
// Whatever comes of it is closed again.
func everything() (err error) {
	l, err := Open()
	if err != nil {
		return err
	}
	a, err := l.Device([16]byte{1})
	if err != nil {
		return err
	}
	b, err := l.Device([16]byte{2})
	if err != nil {
		return err
	}
	if can, err := a.Reaches(b); err != nil || !can {
		return errors.Join(err, errUnlessCan(can))
	}
	if _, _, err := a.ReachesUUID([16]byte{2}); err != nil {
		return err
	}
	m, fd, err := a.Alloc(1<<16, []*Device{b})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close(), m.Close(), unix.Close(fd)) }()
	shared, err := m.Export()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unix.Close(shared)) }()
	other, err := b.Import(shared, m.Size())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, other.Close(), other.Close()) }()
	s, err := a.NewStream()
	if err != nil {
		return err
	}
	return errors.Join(s.Close(), s.Close())
}

func errUnlessCan(can bool) error {
	if can {
		return nil
	}
	return errors.New("one device does not reach the other")
}

// Every call of the driver fails once, each time that it is made: the error names it, nothing
// is left, and nothing that was undone is undone twice.
func TestEveryCallFailsOnce(t *testing.T) {
	built := filepath.Join(t.TempDir(), "libcuda.so.1")
	compile(t, built)
	driver, err := os.ReadFile(built)
	if err != nil {
		t.Fatal(err)
	}
	// try runs everything with a driver of its own, and returns how often each call was made.
	try := func(fail string, nth int) (made map[string]int, failure error) {
		dir := t.TempDir()
		path, log := filepath.Join(dir, "libcuda.so.1"), filepath.Join(dir, "log")
		if err := errors.Join(os.WriteFile(path, driver, 0o700), os.WriteFile(log, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		t.Setenv("AMGPU_CUDA_LIBRARY", path)
		t.Setenv("FAKECUDA_LOG", log)
		t.Setenv("FAKECUDA_FAIL", fail)
		t.Setenv("FAKECUDA_NTH", fmt.Sprint(nth))
		before := descriptors(t)
		failure = everything()
		if after := descriptors(t); after != before {
			t.Errorf("%s fails the %d. time: %d descriptors, %d before", fail, nth, after, before)
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		made = map[string]int{}
		left := map[string]int{}
		for line := range strings.Lines(string(text)) {
			name, result, _ := strings.Cut(strings.TrimSpace(line), " ")
			made[name]++
			if kind := madeBy[name]; kind != "" && result == "0" {
				left[kind]++
			}
			left[undoneBy[name]]--
		}
		for kind, n := range left {
			if kind != "" && n != 0 {
				t.Errorf("%s fails the %d. time: %d of %s left", fail, nth, n, kind)
			}
		}
		return made, failure
	}
	made, err := try("", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range symbols(t) {
		if name == "cuGetErrorName" || strings.Contains(strings.Join(conducted, " "), name) {
			continue
		}
		if made[name] == 0 {
			t.Errorf("%s is never called: let this test do so", name)
		}
		for nth := 1; nth <= made[name]; nth++ {
			if _, err := try(name, nth); err == nil || strings.Count(err.Error(), "CUDA_ERROR_UNKNOWN") != 1 || !strings.Contains(err.Error(), name+": CUDA_ERROR_UNKNOWN") {
				t.Errorf("%s fails the %d. time: %v", name, nth, err)
			}
		}
	}
}

var madeBy = map[string]string{"cuMemCreate": "handles", "cuMemImportFromShareableHandle": "handles", "cuMemAddressReserve": "addresses", "cuMemMap": "mappings", "cuStreamCreate": "streams", "cuEventCreate": "events"}

var undoneBy = map[string]string{"cuMemRelease": "handles", "cuMemAddressFree": "addresses", "cuMemUnmap": "mappings", "cuStreamDestroy": "streams", "cuEventDestroy": "events"}
