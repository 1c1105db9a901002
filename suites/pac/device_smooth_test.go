package pac

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/suitetest"
	"github.com/amgpu/amgpu/vk/vktest"
)

// Recordings with bands that hold next to nothing: two sines that begin and end abruptly,
// one that begins and ends smoothly, an impulse; and one too short for a whole cycle, most
// of whose soft bins are empty.
func TestNearlyEmptyBands(t *testing.T) {
	const samples = 2048
	_, adapters := vktest.Team(t, "1")
	var rows []float32
	for i := range 2 * samples {
		slow := math.Sin(0.07 * float64(i))
		rows = append(rows, float32(slow+(1+slow)*math.Sin(1.2*float64(i))))
	}
	rows = append(append(rows, smooth(samples)...), make([]float32, samples)...)
	rows[3*samples+1000] = 1
	path := filepath.Join(t.TempDir(), "rows.npy")
	save(t, path, suitetest.Npy("<f4", shapeText(4, samples), rows))
	for _, params := range []map[string]int64{
		{"binning": 1}, {"binning": 1, "kernel": 1}, {"direct": 1}, {"binning": 1, "time": 100, "kernel": 1},
	} {
		t.Run(fmt.Sprint(params), func(t *testing.T) {
			b := suitetest.Build(mi{}, 1, 1)
			b.Limits = engine.PoolLimits(adapters)
			b.Params["n_perm"], b.Params["fs"] = 4, 512
			for name, v := range params {
				b.Params[name] = v
			}
			if params["time"] == 0 {
				b.Input = path
			}
			s, err := engine.Launch(context.Background(), engine.Spec{Workload: mi{}, Adapters: adapters, Transport: "auto", Build: b})
			if err != nil {
				t.Fatal(err)
			}
			v, err := s.Verify(context.Background(), true)
			if err != nil || v.Outcome.Wrong != "" {
				t.Errorf("%v %s", err, v.Outcome.Wrong)
			}
			if b.Input != "" && !strings.Contains(v.Outcome.SelfCheck, "not determined") {
				t.Errorf("empty bands are not mentioned: %s", v.Outcome.SelfCheck)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
