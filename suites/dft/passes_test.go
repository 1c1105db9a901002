package dft

import (
	"fmt"
	"testing"
)

// TestDigits: passes cover every digit of the index, and blocks of the four-step division are whole.
func TestDigits(t *testing.T) {
	for m, want := range map[int]string{1: "[1]", 9: "[9]", 10: "[5 5]", 19: "[7 6 6]", 22: "[8 8 6]", 24: "[8 8 8]", 25: "[9 8 8]", 27: "[9 9 9]"} {
		if got := fmt.Sprint(Ring{}.quick(m)); got != want {
			t.Errorf("%d: %s, want %s", m, got, want)
		}
	}
	for m := 1; m <= MostLog; m++ {
		sum := 0
		for _, r := range (Ring{}).quick(m) {
			sum += r
			if r < 1 || r > MostPoints {
				t.Errorf("2^%d: %v", m, Ring{}.quick(m))
			}
		}
		if sum != m {
			t.Errorf("2^%d: %v", m, Ring{}.quick(m))
		}
	}
	for m := 2; m <= MostLog; m++ {
		f := NewFourStep(Ring{}, m)
		if f.c1 < 0 || f.c2 < 0 || f.R3 > 0 && (f.c1 != 0 || f.c2 > f.R3) || f.R1+f.r2+f.R3 != m {
			t.Errorf("2^%d: %+v", m, f)
		}
	}
}
