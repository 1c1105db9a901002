package soft

import (
	"errors"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Spec{
		"1": {1, 0}, "2": {2, 0}, "64": {64, 0}, " 2 ": {2, 0},
		"1+swiftshader": {1, 1}, "2+swiftshader": {2, 1}, "2 + swiftshader": {2, 1},
		"swiftshader": {0, 1}, "0+swiftshader": {0, 1}, "1+swiftshader+swiftshader": {1, 2},
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v; want %v", text, got, err, want)
		}
		again, err := Parse(got.String())
		if err != nil || again != got {
			t.Errorf("%q is written as %q and read as %v, %v", text, got, again, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"", "0", "-1", "+", "2+", "+2", "1+2", "two", "1.5", "65", "64+swiftshader", "1+lavapipe", "1 swiftshader",
		"99999999999999999999", "SwiftShader+1", "swiftshader+1",
	} {
		if got, err := Parse(text); !errors.Is(err, ErrSpec) {
			t.Errorf("Parse(%q) = %v, %v; want ErrSpec", text, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"2", "1+swiftshader", "", "+", "swiftshader+swiftshader"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			if !errors.Is(err, ErrSpec) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		if s.Devices() < 1 || s.Devices() > MaxDevices {
			t.Fatalf("Parse(%q) makes %d devices", text, s.Devices())
		}
		if again, err := Parse(s.String()); err != nil || again != s {
			t.Fatalf("%v is written as %q and read as %v, %v", s, s.String(), again, err)
		}
	})
}
