package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// fixture is a workload made of a program and a check, for one test each.
type fixture struct {
	prog  *program.Program
	check func(*suites.Check) string
}

func (f fixture) Info() suites.Info {
	return suites.Info{ID: "test/fixture", Number: 99, WorkUnit: "item"}
}

func (f fixture) Build(suites.Build) (*program.Program, error) { return f.prog, nil }

func (f fixture) Verify(c *suites.Check) (suites.Outcome, error) {
	return suites.Outcome{Class: "E0", Checked: 1, Wrong: f.check(c)}, nil
}

// outcome runs one iteration of a fixture on adapters and returns what is wrong.
func outcome(t *testing.T, f fixture, adapters []*vk.Adapter, spec Spec) Verification {
	t.Helper()
	spec.Workload, spec.Adapters = f, adapters
	spec.Build.Seed = 7
	if spec.Transport == "" {
		spec.Transport = "auto"
	}
	s, err := Launch(context.Background(), spec)
	if err != nil {
		t.Fatalf("launch: %v", err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	v, err := s.Verify(context.Background(), true)
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	if v.Outcome.Wrong != "" {
		t.Error(v.Outcome.Wrong)
	}
	return v
}

// expect compares an array, element by element, with want.
func expect(array string, device int, n int64, want func(i int64) uint32) func(*suites.Check) string {
	return func(c *suites.Check) string {
		words, err := c.Out.LocalWords(array, device, 0, n)
		if err != nil {
			return err.Error()
		}
		for i, w := range words {
			if x := want(int64(i)); w != x {
				return fmt.Sprintf("%s[%d] on device %d is %#x, want %#x", array, i, device, w, x)
			}
		}
		return ""
	}
}

// onEach is what is wrong on the first of n devices with something wrong.
func onEach(n int, check func(device int) func(*suites.Check) string) func(*suites.Check) string {
	return func(c *suites.Check) string {
		for d := range n {
			if wrong := check(d)(c); wrong != "" {
				return fmt.Sprintf("%d devices: %s", n, wrong)
			}
		}
		return ""
	}
}

func TestHostStep(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	p := &program.Program{
		Units: 10, Shares: divide(10, 2),
		Arrays: []program.Array{
			{Name: "in", Elem: program.U32, Layout: program.Replicated, Units: 10, Stride: 3, Source: program.Source{Kind: program.Iota}},
			{Name: "out", Elem: program.U32, Layout: program.Local, Units: 5, Stride: 2, Output: true},
		},
		Steps: []program.Step{program.Host{Label: "double", In: []string{"in"}, Out: []string{"out"}, Do: func(in, out [][]uint32) error {
			for i := range out[0] {
				out[0][i] = 2*in[0][i] + 1
			}
			return nil
		}}},
	}
	for d := range 2 {
		outcome(t, fixture{p, expect("out", d, 10, func(i int64) uint32 { return uint32(2*i + 1) })}, adapters, Spec{})
	}
}

func TestHostStepErrorSurfaces(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	p := &program.Program{
		Units: 1, Shares: divide(1, 1),
		Arrays: []program.Array{{Name: "x", Layout: program.Local, Units: 1, Stride: 1}},
		Steps:  []program.Step{program.Host{Label: "fails", In: []string{"x"}, Do: func(_, _ [][]uint32) error { return errors.New("no luck") }}},
	}
	s, err := Launch(context.Background(), Spec{Workload: fixture{prog: p}, Adapters: adapters, Transport: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Verify(context.Background(), true); err == nil || !strings.Contains(err.Error(), "host step fails: no luck") {
		t.Errorf("error %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestHaloSpansDevices uses a halo deeper than the neighbours' shares, wrapped
// round the whole array, and poisons the halo first, so only the exchange can
// bring it.
func TestHaloSpansDevices(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	for _, wrap := range []bool{true, false} {
		for n := 1; n <= 3; n++ {
			shares := divide(7, n)
			p := &program.Program{
				Units: 7, Shares: shares,
				Arrays: []program.Array{{Name: "a", Elem: program.U32, Layout: program.Split, Units: 7, Stride: 5, Halo: 4, Wrap: wrap,
					Source: program.Source{Kind: program.Iota}, Output: true}},
				Steps: []program.Step{program.Exchange{Arrays: []string{"a"}}},
			}
			check := onEach(n, func(d int) func(*suites.Check) string {
				s := shares[d]
				return expect("a", d, (s.Len()+8)*5, func(i int64) uint32 {
					unit := s.Lo - 4 + i/5
					if !wrap && (unit < 0 || unit >= 7) {
						return 0
					}
					return uint32((unit%7+7)%7*5 + i%5)
				})
			})
			outcome(t, fixture{p, check}, adapters[:n], Spec{})
		}
	}
}

// TestAllReduceByChunk checks the canonical tree against the CPU for odd
// numbers of chunks on one to three devices: the same bits everywhere.
func TestAllReduceByChunk(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	// Up to 4096 chunks of one column, 128 of 32 columns, are combined together.
	for _, shape := range [][2]int64{{1, 3}, {2, 3}, {5, 3}, {257, 3}, {1000, 3}, {4096, 1}, {4097, 2}, {9000, 1}, {128, 33}, {300, 40}} {
		chunks, stride := shape[0], shape[1]
		tree := make([]float32, chunks*stride)
		src := suites.Stream{Seed: 7, Workload: 99, Array: 3}
		for i := range tree {
			tree[i] = src.F32(int64(i), 0, 1)
		}
		for s := int64(1); s < chunks; s *= 2 {
			for i := int64(0); i+s < chunks; i += 2 * s {
				for e := int64(0); e < stride; e++ {
					tree[i*stride+e] += tree[(i+s)*stride+e]
				}
			}
		}
		for n := 1; n <= 3; n++ {
			p := &program.Program{
				Units: chunks, Shares: divide(chunks, n),
				Arrays: []program.Array{
					{Name: "part", Elem: program.F32, Layout: program.Split, Units: chunks, Stride: stride, Source: program.Random(3, 0, 1)},
					{Name: "sum", Elem: program.F32, Layout: program.Local, Units: 1, Stride: stride, Output: true},
				},
				Steps: []program.Step{program.AllReduce{Array: "part", Into: "sum", Order: program.ByChunk}},
			}
			check := onEach(n, func(d int) func(*suites.Check) string {
				return expect("sum", d, stride, func(i int64) uint32 { return math.Float32bits(tree[i]) })
			})
			outcome(t, fixture{p, check}, adapters[:n], Spec{})
		}
	}
}

// Long vectors by both algorithms, on up to eight devices whose shares hold up to
// several subtrees: the same bits as the canonical tree.
func TestLongVectorsByChunk(t *testing.T) {
	_, adapters := vktest.Team(t, "8")
	const chunks, stride = 37, 64*9 + 5
	src := suites.Stream{Seed: 7, Workload: 99, Array: 3}
	tree := make([]float32, chunks*stride)
	for i := range tree {
		tree[i] = src.F32(int64(i), -1, 1)
	}
	for s := int64(1); s < chunks; s *= 2 {
		for i := int64(0); i+s < chunks; i += 2 * s {
			for e := range int64(stride) {
				tree[i*stride+e] += tree[(i+s)*stride+e]
			}
		}
	}
	for _, n := range chunkTeams {
		p := &program.Program{
			Units: chunks, Shares: divide(chunks, n),
			Arrays: []program.Array{
				{Name: "part", Layout: program.Split, Units: chunks, Stride: stride, Source: program.Random(3, -1, 1)},
				{Name: "sum", Layout: program.Local, Units: 1, Stride: stride, Output: true},
			},
			Steps: []program.Step{program.AllReduce{Array: "part", Into: "sum", Order: program.ByChunk}},
		}
		check := onEach(n, func(d int) func(*suites.Check) string {
			return expect("sum", d, stride, func(i int64) uint32 { return math.Float32bits(tree[i]) })
		})
		for _, algorithm := range []string{program.OneShot, program.TwoShot} {
			outcome(t, fixture{p, check}, adapters[:n], Spec{testOnlyWays: func(ways []way) []way {
				if n > 1 {
					ways = []way{{algorithm: algorithm, chunks: 1}}
				}
				return ways
			}})
		}
	}
}

// TestBroadcastAndGather moves more than one round holds.
func TestBroadcastAndGather(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	const units, stride = 9, 1 << 21 // 72 MiB
	p := &program.Program{
		Units: units, Shares: divide(units, 2),
		Arrays: []program.Array{
			{Name: "b", Elem: program.U32, Layout: program.Local, Units: units, Stride: stride, Source: program.Source{Kind: program.PhiloxRaw, ID: 1}, Output: true},
		},
		Steps: []program.Step{program.Broadcast{Arrays: []string{"b"}, Root: 1}},
	}
	src := suites.Stream{Seed: 7, Workload: 99, Array: 1 + 1<<16}
	for _, transport := range []string{"host", "staging"} {
		outcome(t, fixture{p, expect("b", 0, 1000, src.Word)}, adapters, Spec{Transport: transport})
	}
}

// TestFileSource uploads an array from a mapped file, each device its own part;
// what lies beyond the end of the file is zero.
// TestMadeSource: words computed on the host, halos and local arrays included.
func TestMadeSource(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	const n = 70001 // more than one part
	made := program.Source{Kind: program.Made, Make: func(rank int, first int64, into []uint32) {
		for k := range into {
			into[k] = uint32(first+int64(k))*3 + uint32(rank)<<24
		}
	}}
	shares := divide(n, 2)
	p := &program.Program{
		Units: n, Shares: shares, CountDependent: true,
		Arrays: []program.Array{
			{Name: "split", Elem: program.U32, Layout: program.Split, Units: n, Stride: 2, Halo: 3, Output: true, Source: made},
			{Name: "local", Elem: program.U32, Layout: program.Local, Units: 5, Stride: 7, Output: true, Distinct: true, Source: made},
		},
	}
	check := func(c *suites.Check) string {
		for d, share := range shares {
			for array, units := range map[string]int64{"split": share.Len() + 6, "local": 5} {
				stride, base := int64(7), int64(0)
				if array == "split" {
					stride, base = 2, share.Lo-3
				}
				words, err := c.Out.LocalWords(array, d, 0, units*stride)
				if err != nil {
					return err.Error()
				}
				for k, w := range words {
					at := base*stride + int64(k)
					want := uint32(at)*3 + uint32(d)<<24
					if array == "split" && (at < 0 || at >= 2*n) {
						want = 0
					}
					if w != want {
						return fmt.Sprintf("%s[%d] on device %d is %#x, not %#x", array, at, d, w, want)
					}
				}
			}
		}
		return ""
	}
	outcome(t, fixture{p, check}, adapters, Spec{})
}

func TestFileSource(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	const n = 5000
	data := make([]byte, 8+4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(data[8+4*i:], uint32(i*i))
	}
	path := filepath.Join(t.TempDir(), "input.bin")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	build := func(units int64) *program.Program {
		return &program.Program{
			Units: units, Shares: divide(units, 2),
			Arrays: []program.Array{{Name: "f", Elem: program.U32, Layout: program.Split, Units: units, Stride: 1, Halo: 2, Output: true,
				Source: program.Source{Kind: program.File, Path: path, Offset: 8}}},
		}
	}
	check := func(c *suites.Check) string {
		words, err := c.Out.Words("f", 0, c.Program.Units)
		if err != nil {
			return err.Error()
		}
		for i, w := range words {
			if i < n && w != uint32(i*i) || i >= n && w != 0 {
				return fmt.Sprintf("f[%d] = %d", i, w)
			}
		}
		return ""
	}
	for _, units := range []int64{n, n + 1, 3 * n} { // 3 n: nothing of the file on the second device
		outcome(t, fixture{build(units), check}, adapters, Spec{})
	}

	// Of float64, rounded to float32.
	wide := make([]byte, 8+8*n)
	for i := range n {
		binary.LittleEndian.PutUint64(wide[8+8*i:], math.Float64bits(float64(i)/3))
	}
	if err := os.WriteFile(path, wide, 0o600); err != nil {
		t.Fatal(err)
	}
	doubles := build(3 * n)
	doubles.Arrays[0].Source.Double = true
	outcome(t, fixture{doubles, func(c *suites.Check) string {
		words, err := c.Out.Words("f", 0, c.Program.Units)
		if err != nil {
			return err.Error()
		}
		for i, w := range words {
			if x := math.Float32frombits(w); i < n && x != float32(float64(i)/3) || i >= n && w != 0 {
				return fmt.Sprintf("f[%d] = %v", i, x)
			}
		}
		return ""
	}}, adapters, Spec{})

	path = filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(path, data[:8], 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Launch(context.Background(), Spec{Workload: fixture{build(n), check}, Adapters: adapters, Transport: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := s.Verify(context.Background(), true); err == nil || !strings.Contains(err.Error(), "give a longer file") {
		t.Errorf("a file without an element: %v", err)
	}
}
