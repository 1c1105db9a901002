package vk_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// wholeFiles is the number of pipelines in the folder; each must be a checksum and
// what it is of.
func wholeFiles(t *testing.T, dir string) (n int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.pipeline"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(data) <= sha256.Size || sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data[:sha256.Size]) {
			t.Fatalf("%s is damaged: %d bytes", f, len(data))
		}
		n++
	}
	return n
}

// damage changes, shortens or replaces all files.
func damage(t *testing.T, dir string, how int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.pipeline"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil || len(data) < 100 {
			continue // removed meanwhile
		}
		switch how {
		case 0:
			data[len(data)/2] ^= 1
		case 1:
			data = data[:len(data)/2]
		case 2:
			data = bytes.Repeat([]byte("no pipeline "), 100)
		}
		if err := os.WriteFile(f, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
