package measure

import "testing"

func TestPrecise(t *testing.T) {
	five := []float64{1, 1, 1, 1, 1}
	if precise(five, 0.5) || precise(nil, 0.5) {
		t.Error("up to 5 samples have no interval")
	}
	// n = 8: ranks 1 and 7, half-width (1.03-1)/2 of the median 1.01.
	eight := []float64{1.05, 1, 1.01, 1.01, 1.01, 1.01, 1.02, 1.03}
	if !precise(eight, 0.0149) || precise(eight, 0.0148) {
		t.Error("half-width of 8 samples")
	}
}
