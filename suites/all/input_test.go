package all

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// readers are the workloads that read files.
func readers(t *testing.T) (out []suites.Workload) {
	t.Helper()
	for _, w := range suites.All() {
		if w.Info().ReadsInput {
			out = append(out, w)
		}
	}
	if len(out) < 7 {
		t.Fatalf("%d workloads read files", len(out))
	}
	return out
}

// refusal is what a workload says about a file, asked for its size and to build.
func refusal(t *testing.T, w suites.Workload, path string) string {
	t.Helper()
	_, err := w.(suites.InputSizer).InputSize(path)
	b := suitetest.Build(w, 256, 1)
	b.Input = path
	_, built := w.Build(b)
	if err == nil || built == nil || !strings.HasSuffix(built.Error(), err.Error()) {
		t.Fatalf("%s, %s: %v for the size, %v for the program", w.Info().ID, path, err, built)
	}
	return err.Error()
}

// What is no file is refused by every reader at once, with its name, what it is and what to
// give: reading a pipe or a device might never end.
func TestWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(link, link); err != nil {
		t.Fatal(err)
	}
	for _, w := range readers(t) {
		for _, end := range []string{"", ".rle", ".cells", ".npy", ".edf", ".mtx", ".f32"} {
			empty, pipe := filepath.Join(dir, "empty"+end), filepath.Join(dir, "pipe"+end)
			if err := os.WriteFile(empty, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := unix.Mkfifo(pipe, 0o600); err != nil && !os.IsExist(err) {
				t.Fatal(err)
			}
			for path, want := range map[string]string{
				filepath.Join(dir, "none"+end): "no such file or directory",
				filepath.Join(empty, "below"):  "not a directory",
				link:                           "too many levels of symbolic links",
				dir:                            "is a folder, not a file",
				empty:                          "the file is empty",
				pipe:                           "is a pipe, not a file",
				"/dev/zero":                    "is a device or socket, not a file",
			} {
				if said := refusal(t, w, path); !strings.HasPrefix(said, "input "+path+": "+want+": give a") {
					t.Errorf("%s: %q, want %q", w.Info().ID, said, want)
				}
			}
		}
	}
}

// A file of another format than a reader takes is no numbers to it, whatever its name says.
func TestOtherFormats(t *testing.T) {
	for _, w := range readers(t) {
		for head, kind := range map[string]string{
			"\x1f\x8b\x08\x00": "compressed with gzip: unpack it first and give a", "PK\x03\x04": "a zip archive (.npz is one): unpack it first and give a",
			"\x89HDF\r\n\x1a\n": "HDF5: give a", "MATLAB 5.0 MAT-file": "a MATLAB file: give a",
		} {
			for _, end := range []string{".rle", ".cells", ".npy", ".edf", ".mtx", ".f32"} {
				path := filepath.Join(t.TempDir(), "x"+end)
				if err := os.WriteFile(path, []byte(head+strings.Repeat("\x00", 64)), 0o600); err != nil {
					t.Fatal(err)
				}
				if said := refusal(t, w, path); !strings.HasPrefix(said, "input x"+end+", byte 0: this is "+kind) {
					t.Errorf("%s: %q, want %q", w.Info().ID, said, kind)
				}
			}
		}
	}
}
