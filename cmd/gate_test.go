package cmd

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/scale"
)

// synthetic FILE name=value..: a result made by code, the same every time, so that
// verdicts do not hang on the noise of the machine that tests. day sets when it was
// made, slower scales all times, slower2 those on two devices; driver, status,
// launches, preset, phi and rows (a comma list of workloads) set these; handing is the
// share of the time that goes into handing out chunks, retried how many launches of
// two devices were begun again.
func synthetic(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: synthetic FILE name=value..")
	}
	set := map[string]string{"day": "1", "slower": "1", "slower2": "1", "driver": "Example 580.159.04", "status": result.OK, "launches": "7", "preset": "default", "phi": "0", "handing": "0", "retried": "0", "rows": "linalg/matmul,memory/triad"}
	for _, pair := range args[1:] {
		name, value, _ := strings.Cut(pair, "=")
		if _, ok := set[name]; !ok {
			ts.Fatalf("synthetic: no setting %q", name)
		}
		set[name] = value
	}
	number := func(name string) float64 {
		v, err := strconv.ParseFloat(set[name], 64)
		ts.Check(err)
		return v
	}
	day, launches := int(number("day")), int(number("launches"))
	res := &result.Result{Schema: result.Schema, Created: time.Date(2026, 11, day, 0, 0, 0, 0, time.UTC), Command: []string{"amgpu"},
		Tool: result.Tool{Name: "amgpu", Version: "0.1.0", Go: "go1.26"}, Host: result.Host{OS: "linux", Arch: "amd64", Cores: 8}, Fingerprint: "made",
		Plan: result.Plan{Preset: set["preset"], Launches: launches, Subsets: "first", Strategy: "equal"}}
	if phi := number("phi"); phi > 0 {
		res.Noise = &result.Noise{Phi: phi}
	}
	for i := range 2 {
		res.Devices = append(res.Devices, result.Device{Index: i, Name: "Example GPU", UUID: fmt.Sprint(i), Driver: set["driver"], API: "1.3.0", VendorID: 1, DeviceID: 2, Type: "discrete"})
	}
	for _, w := range list(set["rows"]) {
		for count := 1; count <= 2; count++ {
			seconds := 0.01 / float64(count) * number("slower")
			if count == 2 {
				seconds *= number("slower2")
			}
			retried := int(number("retried"))
			for launch := range launches {
				t := result.Trial{Reps: 1, Key: result.Key{Workload: w, Mode: "strong", Size: result.Size{Label: "L", N: 4096}, Strategy: "equal", Residency: "resident", Cache: "hot"},
					Count: count, Devices: []int{0, 1}[:count], Launch: launch, Block: launch, Status: set["status"], Verified: set["status"] == result.OK, Total: 4096,
					Work: result.Work{Value: 1e9, Unit: "flop"}, Warmup: result.Warmup{Samples: 8, Steady: true}}
				for i := range 5 {
					t.Samples = append(t.Samples, seconds*(1+0.001*float64((launch*3+day*2+i)%7)))
				}
				if share := number("handing"); share > 0 {
					t.Division = &result.Division{Decisions: []float64{share * seconds}}
				}
				if retried > 0 && count == 2 {
					retried--
					t.Warnings = []result.Warning{{Code: scale.Retried, Text: "try 1 of 4"}}
				}
				res.Trials = append(res.Trials, t)
			}
		}
	}
	ts.Check(result.Write(ts.MkAbs(args[0]), res))
}

// turns N FAULT FAST SLOW args..: measures with `amgpu scale args..` N launches of
// either kind, with and without the fault, in turns (fast, slow; slow, fast; ..), so
// that whatever else the machine does meets both alike; the launches of each kind
// make one result.
func turns(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 5 {
		ts.Fatalf("usage: turns N FAULT FAST SLOW args..")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	var kinds [2]*result.Result
	for launch := range n {
		for i := range kinds {
			kind := (i + launch) % 2
			ts.Setenv("AMGPU_FAULT", []string{"", args[1]}[kind])
			out := ts.MkAbs(fmt.Sprintf("turn-%d-%d.json", launch, kind))
			ts.Check(ts.Exec("amgpu", append([]string{"scale", "--launches", "1", "--no-progress", "-o", out}, args[4:]...)...))
			res, err := result.Read(out)
			ts.Check(err)
			for k := range res.Trials {
				res.Trials[k].Launch, res.Trials[k].Block = launch, launch
			}
			if kinds[kind] == nil {
				kinds[kind] = res
			} else {
				kinds[kind].Trials = append(kinds[kind].Trials, res.Trials...)
			}
		}
	}
	ts.Setenv("AMGPU_FAULT", "")
	for i, res := range kinds {
		res.Plan.Launches = n
		ts.Check(result.Write(ts.MkAbs(args[2+i]), res))
	}
}

// calm FILE..: takes what was measured as steady. On a machine that is busy with
// other tests no launch may be, and then the gate rightly says nothing.
func calm(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: calm FILE..")
	}
	for _, name := range args {
		res, err := result.Read(ts.MkAbs(name))
		ts.Check(err)
		for i := range res.Trials {
			res.Trials[i].Warmup.Steady = true
		}
		ts.Check(result.Write(ts.MkAbs(name), res))
	}
}
