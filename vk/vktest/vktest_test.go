package vktest_test

import (
	"strings"
	"testing"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// recorder is a test that only notes its failures.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, strings.TrimSpace(format))
}

// A missing barrier between two copies is seen by synchronization validation,
// and one message is enough to fail a test. Without the mistake nothing is said.
func TestHazardIsReported(t *testing.T) {
	in, devices := vktest.Devices(t, "1")
	d := devices[0]
	var buffers [3]*vk.Buffer
	for i := range buffers {
		b, err := d.NewBuffer(256, vk.DeviceLocal)
		if err != nil {
			t.Fatal(err)
		}
		buffers[i] = b
	}
	first := vk.Op{Kind: vk.OpCopy, Src: buffers[0], Dst: buffers[1], Size: 256}
	second := vk.Op{Kind: vk.OpCopy, Src: buffers[1], Dst: buffers[2], Size: 256}
	barrier := vk.Op{Kind: vk.OpBarrier, From: vk.StageTransfer, To: vk.StageTransfer}
	for _, test := range []struct {
		ops  []vk.Op
		loud bool
	}{
		{[]vk.Op{first, barrier, second}, false},
		{[]vk.Op{first, second}, true},
	} {
		c, err := d.Record(test.ops)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Do(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		r := &recorder{TB: t}
		vktest.Quiet(r, in)
		if loud := len(r.errors) > 0; loud != test.loud {
			t.Errorf("%d operations: reported %v, want %v", len(test.ops), loud, test.loud)
		}
	}
}

// Several teams can be opened one after the other in one process.
func TestTeams(t *testing.T) {
	for _, spec := range []string{"3", "1", "1+swiftshader", "2"} {
		t.Run(spec, func(t *testing.T) {
			_, adapters := vktest.Team(t, spec)
			swift := 0
			for i, a := range adapters {
				if a.Info().Index != i || !a.Info().Software() {
					t.Errorf("device %d is %+v", i, a.Info())
				}
				if strings.Contains(a.Info().Name, "SwiftShader") {
					swift++
				}
			}
			if want := strings.Count(spec, "swiftshader"); swift != want {
				t.Errorf("%d SwiftShader devices, want %d", swift, want)
			}
		})
	}
}
