package cmd

import "testing"

func TestForecastFlags(t *testing.T) {
	for _, c := range []struct {
		nodes, network string
		inJob, ok      bool
	}{
		{"", "", false, true},
		{"1", "", false, true}, // within the node that is measured
		{"8,64", "2us,25GB/s", false, true},
		{"8", "", true, true}, // the job measures what lies between nodes
		{"8", "", false, false},
		{"0", "2us,25GB/s", false, false},
		{"eight", "2us,25GB/s", false, false},
		{"8", "2us", false, false},
		{"8", "fast,25GB/s", false, false},
		{"8", "2us,-1", false, false},
		{"", "2us,25GB/s", false, false},
	} {
		f := forecastFlags{predictNodes: c.nodes, network: c.network}
		got, err := f.read()
		if err == nil {
			err = got.check(c.inJob)
		}
		if (err == nil) != c.ok || err != nil && codeFor(err) != codeUsage {
			t.Errorf("%+v: %v", c, err)
		}
		if c.ok && c.network != "" && (got.network.Latency != 2e-6 || got.network.Bandwidth != 25e9) {
			t.Errorf("%+v: %+v", c, got.network)
		}
	}
}
