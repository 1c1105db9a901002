package engine

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// The list of a device is turned into what programs ask for, and a kernel that it does not
// serve is refused with what there is.
func TestCheckMatrix(t *testing.T) {
	info := &vk.Info{Name: "card", Matrices: []vk.Matrix{
		{M: 16, N: 16, K: 16, A: "float16", B: "float16", C: "float32", Result: "float32", Scope: "subgroup"},
		{M: 16, N: 16, K: 32, A: "uint8", B: "sint8", C: "sint32", Result: "sint32", Scope: "subgroup"},
		{M: 16, N: 16, K: 32, A: "sint8", B: "sint8", C: "sint32", Result: "sint32", Scope: "subgroup", Saturating: true},
		{M: 16, N: 16, K: 16, A: "float16", B: "float16", C: "float32", Result: "float32", Scope: "subgroup", Flexible: true},
		{M: 32, N: 32, K: 16, A: "float16", B: "float16", C: "float32", Result: "float32", Scope: "workgroup", Flexible: true, Invocations: 256},
	}}
	want := []program.Matrix{
		{M: 16, N: 16, K: 16, A: "float16", Sum: "float32"},
		{M: 32, N: 32, K: 16, A: "float16", Sum: "float32", Invocations: 256},
	}
	if got := matrices(info); !slices.Equal(got, want) {
		t.Errorf("matrices %+v", got)
	}
	for _, m := range []*program.Matrix{nil, &want[0], {M: 128, N: 256, K: 64, A: "float16", Sum: "float32", Invocations: 256}} {
		if err := checkMatrix(info, program.Kernel{Matrix: m}); err != nil {
			t.Error(err)
		}
	}
	lacking := program.Kernel{Shader: "linalg/x", Matrix: &program.Matrix{M: 16, N: 16, K: 32, A: "sint8", Sum: "sint32"}}
	err := checkMatrix(info, lacking)
	if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "16x16x32 sint8") || !strings.Contains(err.Error(), "multiples-of-32x32x16:float16,float16,float32:workgroup-of-256") {
		t.Errorf("error %v", err)
	}
	if err := checkMatrix(&vk.Info{Name: "card"}, lacking); err == nil || !strings.Contains(err.Error(), "card offers none") {
		t.Errorf("error %v", err)
	}
}

// Limits of a pool hold what all its devices have: lavapipe has float64, SwiftShader not, and
// allows smaller work-groups: an error says that it does.
func TestPoolLimitsShare(t *testing.T) {
	_, adapters := vktest.Team(t, "1+swiftshader")
	both, a, b := PoolLimits(adapters), PoolLimits(adapters[:1]), PoolLimits(adapters[1:])
	if both.Has("float64") || a.Has("float64") == b.Has("float64") || !both.Has("timeline-semaphore") {
		t.Errorf("features %v; %v and %v", both.Features, a.Features, b.Features)
	}
	least := a
	if b.Invocations < a.Invocations {
		least = b
	}
	build := suites.Build{Limits: both, Tuning: map[string]int64{"group": 512}}
	_, err := build.Group(suites.Tunable{Name: "group"})
	if want := least.Smallest + " allows 256: choose a smaller --constant group"; err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(want, "SwiftShader") {
		t.Errorf("%v, want %s", err, want)
	}
}
