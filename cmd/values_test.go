package cmd

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// badValues are values that settings refuse by themselves, whatever else is set.
var badValues = map[string][]string{
	"max-devices": {"-1", "x"}, "software": {"x", "-2", "1+nothing"}, "allow-cpu": {"maybe"},
	"memory-pool": {"much", "0"}, "sync-timeout": {"0s", "soon"}, "rank-timeout": {"0s", "soon"}, "retries": {"-1", "21", "x"}, "retry-wait": {"soon", "-1s"},
	"max-temperature": {"-3", "hot", "inf", "nan"}, "max-memory": {"300%", "x"}, "max-power": {"-3", "x"},
	"gpus": {"0", "2-1", "x", "1,,2"}, "nodes": {"0", "x"}, "mode": {"fast", "strong,solo"}, "subsets": {"some"}, "predict-nodes": {"0", "x"}, "network": {"fast", "2us,-1"},
	"size": {"Q", "0", "fill,L", "1..x"}, "strategy": {"fair"}, "assign": {"fair"}, "transport": {"pigeon"}, "residency": {"both,neither"}, "cache": {"tepid"}, "preset": {"slow"},
	"launches": {"-1", "1001", "x", "1e3", "99999999999999999999"}, "samples": {"-1", "x"}, "precision": {"0", "200%"}, "max-time": {"0", "x"}, "timeout": {"0s", "-1", "soon"}, "seed": {"-1", "zebra"},
	"param": {"a", "a=b"}, "constant": {"a", "a=b"}, "repeat": {"x"}, "output": {"r.json.journal"}, "format": {"word"}, "roof": {"thatched"}, "every": {"0", "x"},
	"no-tune-cache": {"x"}, "no-lock": {"x"}, "telemetry": {"x"}, "force": {"x"}, "no-link-cache": {"x"}, "no-progress": {"x"}, "json": {"x"}, "tune": {"x"}, "team": {"x"}, "self-test": {"x"},
}

// freeValues are settings of which only the files, devices or workloads say what is wrong.
var freeValues = []string{"workloads", "device", "exclude", "split", "algorithm", "input", "shader", "kernel", "resume", "report", "plan", "trace", "checkpoint"}

// Every bad value of every setting is refused, with file and line: where it counts, and where
// the command line or a variable outweighs it; and so is that of a variable.
func TestBadValues(t *testing.T) {
	for _, command := range []string{"run", "scale"} {
		c, _, err := commands().Find([]string{command})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range settingNames(c) {
			if slices.Contains(freeValues, name) {
				continue
			}
			if len(badValues[name]) == 0 {
				t.Errorf("%s: no value of %s is known to be bad", command, name)
			}
			for _, value := range badValues[name] {
				refusedValue(t, command, name, value)
			}
		}
	}
}

func refusedValue(t *testing.T, command, name, value string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "amgpu.yaml")
	if err := os.WriteFile(path, []byte("\n"+name+": "+value+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, where []string, args ...string) {
		t.Helper()
		var out, said bytes.Buffer
		code := Main(slices.Concat([]string{command}, args), &out, &said)
		if text := said.String(); code != codeUsage || slices.ContainsFunc(where, func(w string) bool { return !strings.Contains(text, w) }) || strings.Contains(text, "strconv") {
			t.Errorf("%s %s: %s, %s: exit code %d, %s want %q", command, name, value, what, code, text, where)
		}
	}
	refused("on the command line", nil, "--"+name+"="+value)
	refused("in the file", []string{path, "line 2"}, "--config", path)
	other := map[string]string{"bool": "true", "int": "2", "int64": "2", "uint64": "2", "float64": "2"}[flagOfCommand(t, command, name).Value.Type()]
	if other == "" {
		other = "2" // fine for many, and what is wrong in the file is found before
	}
	refused("in the file, outweighed", []string{path, "line 2", "outweighed"}, "--config", path, "--"+name+"="+other)
	t.Setenv(envName(name), value)
	refused("in a variable", []string{envName(name) + "=" + value})
	refused("in a variable, outweighed", []string{envName(name) + "=" + value, "outweighed"}, "--"+name+"="+other)
	if err := os.Unsetenv(envName(name)); err != nil {
		t.Fatal(err)
	}
}

func flagOfCommand(t *testing.T, command, name string) *pflag.Flag {
	t.Helper()
	c, _, err := commands().Find([]string{command})
	if err != nil {
		t.Fatal(err)
	}
	return c.Flags().Lookup(name)
}

// A good value passes, also where a flag outweighs it.
func TestOutweighed(t *testing.T) {
	for name, value := range map[string]string{"seed": "7", "strategy": "proportional", "assign": "steal", "network": "2us,25GB/s", "predict-nodes": "8", "size": "4..64Ki", "gpus": "all",
		"timeout": "3s", "mode": "weak", "memory-pool": "1GiB", "format": "md", "param": "repeat=3", "output": "r.json", "nodes": "1-4", "retry-wait": "0s"} {
		if err := checkValue("scale", name, []string{value}); err != nil {
			t.Errorf("%s: %s: %v", name, value, err)
		}
	}
}

// A name that is no setting, but what several together choose, or almost, is told which.
func TestGroups(t *testing.T) {
	c, _, err := commands().Find([]string{"scale"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"pol": "the settings of the pool are device, exclude, max-devices, software, allow-cpu, gpus", "pool": "the settings of the pool are device", "filter": "the settings of the filters are device",
		"threshold": "the settings of the thresholds are max-temperature, max-memory, max-power", "strategies": "did you mean strategy?", "sizes": "did you mean size?", "workload": "did you mean workloads?", "memory_pol": "did you mean memory-pool?",
		"sync_timeot": "did you mean sync-timeout?",
	} {
		if got := meant(name, settingNames(c)); !strings.Contains(got, want) {
			t.Errorf("%s%s, want %s", name, got, want)
		}
	}
	for group, of := range groups {
		for _, name := range of {
			if !slices.Contains(settingNames(c), name) {
				t.Errorf("%s: %s is no setting", group, name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(badValues)) {
		run, _, _ := commands().Find([]string{"run"})
		if c.Flags().Lookup(name) == nil && run.Flags().Lookup(name) == nil {
			t.Errorf("%s is no setting", name)
		}
	}
}
