package input_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites/input"
)

// What the first bytes tell of, and numbers that tell of nothing.
func TestKinds(t *testing.T) {
	edf := "0       " + strings.Repeat(" ", 160) + "28.11.26" + strings.Repeat(" ", 80)
	for head, want := range map[string]input.Kind{
		"":                       "",
		"0 1":                    "", // three bytes
		"0 1\n1 2\n":             input.Text,
		"\xef\xbb\xbf0 1\n1 2\n": input.Text,
		"%%MatrixMarket matrix":  input.Market,
		"%%matrixmarket MATRIX":  input.Market,
		"%MatrixMarket matrix":   input.Market,
		"% MatrixMarket matrix":  input.Text, // a comment of an edge list
		edf:                      input.EDF,
		"0        1\n" + strings.Repeat("1        2\n", 30): input.Text, // columns of an edge list
		"\x93NUMPY\x01\x00":                input.Npy,
		"\x1f\x8b\x08\x00":                 "compressed with gzip",
		"PK\x03\x04":                       "a zip archive (.npz is one)",
		"\xff\xfe0\x00\n\x00":              "text in UTF-16",
		"\x00\x00\x80\x3f\x00\x00\x00\x40": "", // float32 1 and 2
		"\x1f\x8b\x80\x3f\x00\x00\x00\x40": "", // a float32 that begins like gzip
	} {
		if got := input.KindOf([]byte(head)); got != want {
			t.Errorf("%.40q is %q, want %q", head, got, want)
		}
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("BZh91AY&SY"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := input.Open(path, "numbers"); err == nil || err.Error() != "input x, byte 0: this is compressed with bzip2: unpack it first and give numbers" {
		t.Errorf("bzip2: %v", err)
	}
	if err := os.WriteFile(path, []byte("0 1\n1 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := input.Open(path, "numbers", input.Npy); err == nil || !strings.HasSuffix(err.Error(), "this is text: give numbers") {
		t.Errorf("text: %v", err)
	}
	f, err := input.Open(path, "numbers", input.Text)
	if err != nil || f.Kind != input.Text || f.Size != 8 {
		t.Fatalf("%+v, %v", f, err)
	}
	// A file that becomes shorter is an error in words, not the end of a file.
	if err := os.Truncate(path, 2); err != nil {
		t.Fatal(err)
	}
	_, err = f.ReadAt(make([]byte, 8), 0)
	if err := input.Cause(err); err == nil || err.Error() != "it became shorter while it was read" {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if free, ok := input.Free(); !ok || free < 1<<20 {
		t.Errorf("%d bytes of memory are free, %v", free, ok)
	}
}
