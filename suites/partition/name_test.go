package partition

import "testing"

func TestParseDivision(t *testing.T) {
	for name, want := range map[string]string{
		"equal": "equal", "BalancedPartitioner": "equal", "dynamic": "dynamic", "DynamicSplit": "dynamic", "dynamic:steal": "dynamic",
		"dynamic:LeastLoaded": "dynamic:weighted", "dynamic:round_robin": "dynamic:round-robin",
	} {
		d, err := ParseDivision(name)
		if err != nil || d.Name() != want {
			t.Errorf("%s: %s %v", name, d.Name(), err)
		}
	}
	for _, name := range []string{"", "fair", "equal:steal", "dynamic:fair", "dynamic:"} {
		if d, err := ParseDivision(name); err == nil {
			t.Errorf("%q is %s", name, d.Name())
		}
	}
}
