package report_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
)

var update = flag.Bool("update", false, "rewrite golden files")

// machine writes results as a known law with seeded noise would give them. It
// makes the files in testdata, which the renderers' tests read.
type machine struct {
	res    *result.Result
	random *rand.Rand
	noise  float64 // between launches; twice that within
	count  int     // samples per launch
}

func newMachine(preset string, devices ...result.Device) *machine {
	m := &machine{random: rand.New(rand.NewPCG(11, 12)), noise: 0.001, count: 12}
	for i := range devices {
		devices[i].Index = i
		devices[i].UUID = fmt.Sprintf("%08x-0000-4000-8000-%012x", 0xa1b2c3d0+i, i)
		devices[i].API, devices[i].Timestamps, devices[i].Subgroup = "1.4.303", true, 32
	}
	m.res = &result.Result{Schema: result.Schema, Created: time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC),
		Tool:        result.Tool{Name: "amgpu", Version: "0.1.0", Commit: "0123abcd", Go: "go1.26.8"},
		Command:     []string{"amgpu", "scale", "--gpus", "1,2,4,8", "-o", "results.json"},
		Host:        result.Host{OS: "linux", Arch: "amd64", Kernel: "6.12.0", CPU: "Example CPU 9554", Cores: 64, Memory: 1 << 40, Loader: "1.4.309"},
		Fingerprint: "5f1d9a3c", Devices: devices,
		Plan: result.Plan{Seed: 42, Preset: preset, Launches: 7, Counts: []int{1, 2, 4, 8}, Modes: []string{"strong", "weak"},
			Subsets: "rotate", Strategy: "equal", Precision: 0.01, Samples: 200, MaxTime: 10}}
	return m
}

func h100() result.Device {
	return result.Device{Name: "NVIDIA H100 80GB HBM3", PCI: "0000:1b:00.0", Type: "discrete", Driver: "NVIDIA 580.159.04",
		VendorID: 0x10de, DeviceID: 0x2330, Memory: 80 << 30}
}

// job is one workload's law.
type job struct {
	name, unit string
	size       int64
	seconds    float64 // on one device
	work       float64
	serial     float64 // share that does not scale
	transfer   float64 // share per doubling
	times      bool    // device clocks are there
}

func ns(s float64) float64 { return math.Round(s*1e9) / 1e9 }

// launch appends one trial of j on devices whose relative speeds are given.
func (m *machine) launch(j job, mode string, block int, devices []int, speed []float64) *result.Trial {
	n := float64(len(devices))
	t := result.Trial{Key: result.Key{Workload: j.name, Mode: mode, Size: result.Size{Label: "L", N: j.size}, Strategy: "equal",
		Split: "rows", Transport: "cuda", Residency: "resident", Cache: "hot"},
		Count: len(devices), Devices: devices, Launch: block, Block: block, Status: result.OK, Verified: true,
		Check: &result.Check{Class: "E2", Checked: 1024, Worst: 0.25}, Digest: fmt.Sprintf("%016x", len(j.name)*7919),
		Total: j.size, Work: result.Work{Value: j.work, Unit: j.unit}, Reps: 4,
		Warmup: result.Warmup{Samples: 8, Seconds: 0.6, Steady: true}, Stop: "precision",
		Started: m.res.Created.Add(time.Duration(len(m.res.Trials)) * time.Second)}
	share := 1 / n
	if mode == "weak" {
		share = 1
		t.Total, t.Work.Value, t.Digest = j.size*int64(n), j.work*n, fmt.Sprintf("%016x", 104729*int(n))
	}
	slowest := 1.0
	for _, d := range devices {
		slowest = min(slowest, speed[d])
	}
	between := 1 + m.noise*m.random.NormFloat64()
	transfer := j.transfer * math.Log2(n) * j.seconds * share
	var times []result.SampleTimes
	for range m.count {
		noise := between * (1 + 2*m.noise*m.random.NormFloat64())
		st := result.SampleTimes{}
		for _, d := range devices {
			st.Compute = append(st.Compute, ns(j.seconds*share*noise/speed[d]))
			st.Transfer = append(st.Transfer, ns(transfer*noise))
		}
		st.Critical = ns(j.seconds * share * noise / slowest)
		st.Device = ns(st.Critical + transfer*noise)
		wall := ns(st.Device + j.serial*j.seconds*noise)
		t.Samples = append(t.Samples, wall)
		if j.times {
			times = append(times, st)
		}
	}
	t.Times = result.TimesOf(times...)
	m.res.Trials = append(m.res.Trials, t)
	return &m.res.Trials[len(m.res.Trials)-1]
}

func devicesFrom(first, n, pool int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = (first + i) % pool
	}
	return out
}

// scaling is eight equal GPUs, four workloads, strong and weak, with a wrong row
// and an unsupported one.
func scaling() *result.Result {
	var devices []result.Device
	for i := range 8 {
		d := h100()
		d.PCI = fmt.Sprintf("0000:%02x:00.0", 0x1b+i)
		devices = append(devices, d)
	}
	m := newMachine("default", devices...)
	speed := []float64{1, 1, 1, 0.985, 1, 1, 1, 1}
	jobs := []job{
		{"linalg/matmul", "flop", 8192, 0.0212, 1.0995e12, 0.002, 0.01, true},
		{"memory/triad", "B", 1 << 28, 0.0113, 3.22e10, 0.0005, 0, true},
		{"automata/life", "cell", 1 << 30, 0.0081, 1.07e9, 0.004, 0.015, false},
		{"relativity/nbody", "pair", 262144, 0.0447, 6.87e10, 0.001, 0.03, true},
	}
	for block := range 7 {
		for _, j := range jobs {
			for _, mode := range []string{"strong", "weak"} {
				for i, n := range []int{1, 2, 4, 8} {
					t := m.launch(j, mode, block, devicesFrom(block+i, n, 8), speed)
					switch {
					case j.name == "relativity/nbody" && mode == "weak" && n == 8 && block == 3:
						t.Status, t.Verified = result.WrongResult, false
						t.Reason = "output 1023 is 1.75, the reference 1.5 (tolerance 3e-05)"
					case j.name == "automata/life" && mode == "weak" && n == 8:
						t.Status, t.Verified, t.Samples, t.Times = result.Unsupported, false, nil, result.Times{}
						t.Reason = "needs 160 GiB on device 5, which has 80 GiB"
					case j.name == "automata/life" && mode == "strong" && n == 4:
						t.Stop = "max-samples"
					}
				}
			}
		}
	}
	return m.res
}

// unequal is two different GPUs with their solo rates.
func unequal() *result.Result {
	slow := h100()
	slow.Name, slow.DeviceID, slow.PCI, slow.Memory = "NVIDIA L40S", 0x26b9, "0000:65:00.0", 48<<30
	m := newMachine("default", h100(), slow)
	m.res.Plan.Counts, m.res.Plan.Modes = []int{1, 2}, []string{"strong"}
	j := job{"ga/product", "flop", 1 << 24, 0.012, 4.3e10, 0.001, 0.002, true}
	speed := []float64{1, 0.4}
	for block := range 7 {
		m.launch(j, "solo", block, []int{0}, speed)
		m.launch(j, "solo", block, []int{1}, speed)
		m.launch(j, "strong", block, []int{block % 2}, speed)
		m.launch(j, "strong", block, []int{0, 1}, speed)
	}
	return m.res
}

// quick is what the demo leaves: two software devices, three launches.
func quick() *result.Result {
	cpu := result.Device{Name: "llvmpipe (LLVM 19.1.7, 256 bits)", Type: "cpu", Driver: "llvmpipe 25.0.7", VendorID: 0x10005,
		Memory: 16 << 30, Software: true}
	m := newMachine("quick", cpu, cpu)
	m.noise = 0.01
	m.res.Plan.Launches, m.res.Plan.Counts, m.res.Plan.MaxTime = 3, []int{1, 2}, 2
	m.res.Command = []string{"amgpu", "scale", "--software", "2", "--gpus", "1,2", "-o", "demo/results.json"}
	speed := []float64{1, 0.97}
	for block := range 3 {
		for _, j := range []job{
			{"memory/triad", "B", 1 << 20, 0.0042, 1.26e7, 0.12, 0, true},
			{"linalg/matmul", "flop", 256, 0.0083, 3.36e7, 0.01, 0.02, true},
		} {
			for _, mode := range []string{"strong", "weak"} {
				m.launch(j, mode, block, []int{block % 2}, speed)
				m.launch(j, mode, block, []int{0, 1}, speed)
			}
		}
	}
	return m.res
}

// solo is what `amgpu run` leaves: each device alone, and all as one team.
func solo() *result.Result {
	m := newMachine("default", h100(), h100())
	m.res.Command = []string{"amgpu", "run"}
	m.res.Plan.Counts, m.res.Plan.Modes = []int{1}, []string{"solo"}
	for block := range 7 {
		for d := range 2 {
			m.launch(job{"memory/triad", "B", 1 << 28, 0.0113, 3.22e10, 0.0005, 0, true}, "solo", block, []int{d}, []float64{1, 0.9})
		}
	}
	return m.res
}

// hostile has markup, control characters and separators in every name.
func hostile() *result.Result {
	res := unequal()
	evil := `<script>alert("x")</script>|a,"b"` + "\x1b[31m\u202e`*_</title>"
	res.Devices[0].Name, res.Devices[1].Driver = evil, evil
	res.Fingerprint, res.Tool.Version, res.Host.CPU = evil, evil, evil
	res.Warnings = []result.Warning{{Code: evil, Text: evil}}
	res.Command = []string{evil, "</script><img src=http://example.invalid/x>"}
	for i := range res.Trials {
		t := &res.Trials[i]
		t.Workload, t.Work.Unit, t.Split = evil, evil, evil
		if t.Mode == "strong" && t.Count == 2 {
			t.Warnings = []result.Warning{{Code: "x", Text: evil}}
		}
	}
	return res
}

var fixtures = map[string]func() *result.Result{
	"scaling": scaling, "unequal": unequal, "quick": quick, "solo": solo, "hostile": hostile, "job": overNodes,
}

// TestFixtures keeps testdata as this file describes it.
func TestFixtures(t *testing.T) {
	for name, build := range fixtures {
		var b bytes.Buffer
		if err := result.Encode(&b, build()); err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", name+".json"), b.Bytes())
	}
}

// golden compares with a file; on a difference the new text is left beside it.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		beside := path + ".new"
		if err := os.WriteFile(beside, got, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s differs; compare with %s, then run go test -update", path, beside)
	}
}
