package engine

import "testing"

func TestReadFault(t *testing.T) {
	for text, want := range map[string]fault{
		"":              {lost: -1, slow: -1},
		"wrong-result":  {wrong: true, lost: -1, slow: -1},
		"device-lost:1": {lost: 1, slow: -1},
		"slow:0:0.2":    {lost: -1, slow: 0, share: 0.2},
		"slow:1:3:0.5":  {lost: -1, slow: 1, share: 3, from: 0.5},
	} {
		t.Setenv("AMGPU_FAULT", text)
		if got, err := readFault(); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"slow", "slow:0", "slow:x:1", "slow:-1:1", "slow:0:0", "slow:0:NaN", "slow:0:1000", "slow:0:1:", "slow:0:1:-1", "slow:0:1:NaN", "slow:0:1:1:1", "device-lost", "device-lost:-1", "melt"} {
		t.Setenv("AMGPU_FAULT", text)
		if _, err := readFault(); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
