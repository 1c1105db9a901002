package toolchain

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module reads a committed module. Those under testdata lie beside their sources.
func module(t *testing.T, path string) []uint32 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words
}

func TestBFloat16(t *testing.T) {
	old := module(t, "testdata/matrix.spv")
	words, err := BFloat16(old)
	if err != nil {
		t.Fatal(err)
	}
	before, err := instructions(old)
	if err != nil {
		t.Fatal(err)
	}
	after, err := instructions(words)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(words[:headerWords], old[:headerWords]) {
		t.Errorf("header %08x became %08x", old[:headerWords], words[:headerWords])
	}
	// The same instructions but for one capability, the type and what is new.
	isNew := func(i instruction) bool {
		return i.op() == opCapability && (i[1] == capBFloat16 || i[1] == capBFloat16Matrix) ||
			i.op() == opExtension && slices.Equal(i[1:], text(bfloat16Extension))
	}
	added := 0
	rest := slices.DeleteFunc(slices.Clone(after), func(i instruction) bool {
		if isNew(i) {
			added++
		}
		return isNew(i)
	})
	kept := slices.DeleteFunc(slices.Clone(before), func(i instruction) bool { return i.op() == opCapability && i[1] == capFloat16 })
	if added != 3 || len(kept) != len(before)-1 || len(rest) != len(kept) {
		t.Fatalf("%d added, %d of %d kept, %d instructions in all", added, len(kept), len(before), len(after))
	}
	changed := 0
	for n := range rest {
		if slices.Equal(rest[n], kept[n]) {
			continue
		}
		changed++
		if kept[n].op() != opTypeFloat || kept[n][2] != 16 || !slices.Equal(rest[n], instruction{4<<16 | opTypeFloat, kept[n][1], 16, 0}) {
			t.Errorf("%08x became %08x", kept[n], rest[n])
		}
	}
	if changed != 1 {
		t.Errorf("%d instructions changed", changed)
	}
	// Capabilities come first, extensions right behind.
	section := 0
	for _, i := range after {
		now := 2
		switch i.op() {
		case opCapability:
			now = 0
		case opExtension:
			now = 1
		}
		if now < section {
			t.Errorf("%08x is out of its section", i)
		}
		section = max(section, now)
	}
	if _, err := BFloat16(words); err == nil {
		t.Error("a module is rewritten twice")
	}
}

func TestBFloat16Refuses(t *testing.T) {
	whole := module(t, "testdata/matrix.spv")
	for _, c := range []struct {
		words []uint32
		want  string
	}{
		{nil, "no SPIR-V"},
		{append([]uint32{1}, whole[1:]...), "no SPIR-V"},
		{whole[:len(whole)-4], "words long"},
		{module(t, "testdata/arithmetic.spv"), "computes with float16"},
		{module(t, "testdata/vector.spv"), "computes with float16"},
		{module(t, filepath.Join("..", "..", "linalg", "matmul64x64.spv")), "no float16"},
	} {
		if _, err := BFloat16(c.words); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d words: %v, want %q", len(c.words), err, c.want)
		}
	}
}

// Comparing numbers or making integers of them is arithmetic, though its result is of another type.
func TestBFloat16RefusesQuestions(t *testing.T) {
	whole := module(t, "testdata/matrix.spv")
	list, err := instructions(whole)
	if err != nil {
		t.Fatal(err)
	}
	half, err := halfType(list)
	if err != nil {
		t.Fatal(err)
	}
	const value, result, other, pointer = 9001, 9002, 9003, 9004
	loaded := slices.Concat(whole, encode(opLoad, half, value, pointer))
	if _, err := BFloat16(loaded); err != nil {
		t.Errorf("a load alone: %v", err)
	}
	widened := slices.Concat(loaded, encode(115, other, result, value)) // OpFConvert
	if _, err := BFloat16(widened); err != nil {
		t.Errorf("a load that is widened: %v", err)
	}
	for name, i := range map[string]instruction{
		"less":    encode(184, other, result, value, value), // OpFOrdLessThan
		"unequal": encode(183, other, result, other, value), // OpFUnordNotEqual
		"nan":     encode(opIsNan, other, result, value),
		"integer": encode(opConvertFToS, other, result, value),
	} {
		if _, err := BFloat16(slices.Concat(loaded, i)); err == nil || !strings.Contains(err.Error(), "computes with float16") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The committed bfloat16 modules are those of float16 rewritten, without a compiler.
func TestCommittedTwins(t *testing.T) {
	folder := filepath.Join("..", "..")
	manifest, err := ReadManifest(folder)
	if err != nil {
		t.Fatal(err)
	}
	twins := 0
	for name, e := range manifest {
		if e.Rewrite == "" {
			continue
		}
		twins++
		words, err := BFloat16(module(t, filepath.Join(folder, strings.Replace(name, "_bf16", "_f16", 1)+".spv")))
		if err != nil || !slices.Equal(words, module(t, filepath.Join(folder, name+".spv"))) {
			t.Errorf("%s is not its twin rewritten (%v)", name, err)
		}
	}
	if twins == 0 {
		t.Error("no module is rewritten")
	}
}

func TestRewriteIsNamed(t *testing.T) {
	if _, err := rewrite("float8", nil); err == nil || !strings.Contains(err.Error(), "bfloat16") {
		t.Errorf("unknown rewriting: %v", err)
	}
}

func TestFindPinnedSaysWhatToDo(t *testing.T) {
	empty := t.TempDir()
	t.Setenv("AMGPU_GLSLC_PINNED", "")
	t.Setenv("AMGPU_TOOLS", empty)
	t.Setenv("PATH", empty)
	if _, err := FindPinned(); err == nil || !strings.Contains(err.Error(), "make glslc") {
		t.Errorf("no compiler: %v", err)
	}
	t.Setenv("AMGPU_GLSLC_PINNED", filepath.Join(empty, "glslc"))
	if _, err := FindPinned(); err == nil {
		t.Error("a compiler that does not exist is accepted")
	}
}
