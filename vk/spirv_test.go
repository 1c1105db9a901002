package vk

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func module(t testing.TB, name string) []uint32 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".spv"))
	if err != nil {
		t.Fatal(err)
	}
	return toWords(data)
}

func toWords(data []byte) []uint32 {
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words
}

func TestCheckSPIRV(t *testing.T) {
	good := module(t, "affine")
	if err := checkSPIRV(good, "main"); err != nil {
		t.Errorf("a good module: %v", err)
	}
	change := func(at int, word uint32) []uint32 {
		words := append([]uint32(nil), good...)
		words[at] = word
		return words
	}
	entry := 0
	for at := 5; at < len(good); at += int(good[at] >> 16) {
		if good[at]&0xffff == 15 {
			entry = at
		}
	}
	for _, test := range []struct {
		name  string
		words []uint32
		want  string
	}{
		{"nothing", nil, "too short"},
		{"text", toWords([]byte("#version 460\nvoid main() {}\n")), "no SPIR-V"},
		{"other byte order", change(0, 0x03022307), "byte order"},
		{"future version", change(1, 0x00020000), "version"},
		{"no bound", change(3, 0), "header"},
		{"header only", good[:5], "0 compute entry points"},
		{"torn", good[:len(good)-1], "1 functions of which 1 do not end"},
		{"torn in an instruction", good[:entry+2], "in the middle"},
		{"instruction of no length", change(5, 17), "in the middle"},
		{"fragment shader", change(entry+1, 4), "0 compute entry points"},
		{"other name", change(entry+3, 0x6e69616e), "0 compute entry points"},
	} {
		if err := checkSPIRV(test.words, "main"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func FuzzCheckSPIRV(f *testing.F) {
	for _, name := range []string{"affine", "step", "spin"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".spv"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if words := toWords(data); checkSPIRV(words, "main") == nil && len(words) < 6 {
			t.Errorf("%d words are taken for a module", len(words))
		}
	})
}
