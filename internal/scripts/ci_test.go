package scripts

import (
	"encoding/xml"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	yaml "go.yaml.in/yaml/v3"

	"github.com/amgpu/amgpu/cmd"
)

// The scripts find the program under test as amgpu in PATH.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"amgpu": func() { os.Exit(cmd.Main(os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// job is a place where a CI job runs, and what it adds to the environment.
type job struct {
	dir string
	env []string
}

func newJob(t *testing.T) job {
	t.Helper()
	dir := t.TempDir()
	return job{dir, []string{
		"XDG_RUNTIME_DIR=" + dir, // locks of its own
		"GITHUB_STEP_SUMMARY=" + filepath.Join(dir, "step-summary.md"),
		"GITHUB_OUTPUT=" + filepath.Join(dir, "step-output"),
	}}
}

// bash runs a script as CI systems do and returns its exit code and all output.
func (j job) bash(t *testing.T, script string, env ...string) (int, string) {
	t.Helper()
	c := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	c.Dir = j.dir
	c.Env = append(append(os.Environ(), j.env...), env...)
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, string(out)
	case errors.As(err, &exit):
		return exit.ExitCode(), string(out)
	}
	t.Fatal(err)
	return -1, ""
}

func (j job) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(j.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (j job) has(name string) bool {
	_, err := os.Stat(filepath.Join(j.dir, name))
	return err == nil
}

func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// tiny is a measurement that takes no time; what it is worth is not asked here.
const tiny = "--preset quick --software 2 --size 4096 --launches 1 --samples 3 --max-time 30ms --mode strong"

// expect fails the test unless a job ended with the code and said all of want.
func expect(t *testing.T, step string, code, wantCode int, out string, want ...string) {
	t.Helper()
	if code != wantCode {
		t.Fatalf("%s: exit code %d, want %d\n%s", step, code, wantCode, out)
	}
	for _, w := range want {
		if !strings.Contains(out, w) {
			t.Fatalf("%s: output lacks %q:\n%s", step, w, out)
		}
	}
}

// action is what a composite action's file holds, as far as it matters here.
type action struct {
	Inputs map[string]struct {
		Description string
		Default     *string
	}
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Using string
		Steps []struct {
			ID, Name, If, Uses, Shell, Run string
			Env, With                      map[string]string
		}
	}
}

func readAction(t *testing.T) action {
	t.Helper()
	raw, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(raw, &a); err != nil {
		t.Fatalf("action.yml: %v", err)
	}
	return a
}

var expression = regexp.MustCompile(`\$\{\{ *([^}]*?) *\}\}`)

// Every input has a default and a use, and no text of an input is run as shell.
func TestActionIsWellFormed(t *testing.T) {
	a := readAction(t)
	if a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Fatalf("action.yml is no composite action: %+v", a.Runs)
	}
	used := map[string]bool{}
	for _, s := range a.Runs.Steps {
		if expression.MatchString(s.Run) {
			t.Errorf("step %q: an expression inside run", s.Name)
		}
		if (s.Uses == "") == (s.Run == "") || s.Run != "" && s.Shell == "" {
			t.Errorf("step %q: want uses, or run and shell", s.Name)
		}
		for _, values := range []map[string]string{s.Env, s.With, {"if": "${{ " + s.If + " }}"}} {
			for _, v := range values {
				for _, m := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(v, -1) {
					used[m[1]] = true
				}
			}
		}
	}
	for name, in := range a.Inputs {
		if in.Description == "" || in.Default == nil || !used[name] {
			t.Errorf("input %s: description %q, default %v, used %v", name, in.Description, in.Default, used[name])
		}
		delete(used, name)
	}
	for name := range used {
		t.Errorf("input %s is used, not declared", name)
	}
}

// The action's own step on software devices: without a baseline it passes and says
// so, with one the gate runs, a wrong result fails with 6.
func TestActionRecipe(t *testing.T) {
	a, j := readAction(t), newJob(t)
	run := func(inputs map[string]string, env ...string) (int, string) {
		for _, s := range a.Runs.Steps {
			if s.ID != "recipe" {
				continue
			}
			for name, value := range s.Env {
				env = append(env, name+"="+expression.ReplaceAllStringFunc(value, func(e string) string {
					what := expression.FindStringSubmatch(e)[1]
					input, ok := strings.CutPrefix(what, "inputs.")
					switch given, set := inputs[input]; {
					case what == "github.action_path":
						return repository(t)
					case ok && set:
						return given
					case ok:
						return *a.Inputs[input].Default
					}
					t.Fatalf("step %s: expression %s", s.ID, e)
					return ""
				}))
			}
			return j.bash(t, s.Run, append(env, "GITHUB_ACTIONS=true")...)
		}
		t.Fatal("action.yml: no step recipe")
		return 0, ""
	}
	inputs := map[string]string{
		"amgpu": "amgpu", "workloads": "memory/triad\nmemory/vector-add", "gpus": "1,2",
		"arguments": tiny, "baseline": "baselines", "threshold": "5%", "store": "true",
	}
	code, out := run(inputs)
	expect(t, "first", code, 0, out, "No baseline at baselines yet: nothing was compared", "stored in baselines")
	if j.has("amgpu-ci/junit.xml") || !strings.Contains(j.read(t, "amgpu-ci/report.html"), "memory/vector-add") {
		t.Error("first: want report.html with both workloads and no junit.xml")
	}

	inputs["store"] = "false"
	code, out = run(inputs)
	expect(t, "second", code, 0, out, "gate: baselines amgpu-ci/results.json", "compared 4 of 4 rows")
	if err := xml.Unmarshal([]byte(j.read(t, "amgpu-ci/junit.xml")), new(struct{ XMLName xml.Name })); err != nil {
		t.Errorf("second: junit.xml: %v", err)
	}
	for _, want := range []string{"nothing was compared", "4 of 4 rows"} { // one job after the other
		if !strings.Contains(j.read(t, "step-summary.md"), want) {
			t.Errorf("the job summary lacks %q", want)
		}
	}
	stored, err := filepath.Glob(filepath.Join(j.dir, "baselines", "*.json"))
	if err != nil || len(stored) != 1 {
		t.Errorf("stored results: %v, %v; want the first alone", stored, err)
	}

	inputs["store"] = "true"
	code, out = run(inputs, "AMGPU_FAULT=wrong-result")
	expect(t, "wrong", code, 6, out, "wrong result", "::error")
	if again, _ := filepath.Glob(filepath.Join(j.dir, "baselines", "*.json")); len(again) != 1 {
		t.Errorf("a wrong result was stored: %v", again)
	}
	if !j.has("amgpu-ci/report.html") || !strings.HasSuffix(j.read(t, "step-output"), "exit-code=6\n") {
		t.Errorf("wrong: want a report and exit-code=6 in %q", j.read(t, "step-output"))
	}
}

// The GitLab job of docs/ci.md, with the script and a workload of the test.
func TestGitLabJob(t *testing.T) {
	raw, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(raw), "## GitLab\n")
	_, text, _ = strings.Cut(text, "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	var jobs map[string]struct {
		Variables map[string]string
		Script    []string
		Artifacts struct {
			Paths   []string
			Reports map[string]string
		}
	}
	if err := yaml.Unmarshal([]byte(text), &jobs); err != nil {
		t.Fatal(err)
	}
	gitlab, ok := jobs["gpu-scaling"]
	if !ok {
		t.Fatalf("no job gpu-scaling in docs/ci.md: %v", jobs)
	}
	j := newJob(t)
	env := []string{"CI_COMMIT_BRANCH=main", "CI_DEFAULT_BRANCH=main"}
	for name, value := range gitlab.Variables {
		switch name {
		case "WORKLOADS":
			value = "memory/triad " + tiny
		case "GPUS":
			value = "1,2"
		}
		env = append(env, name+"="+value)
	}
	script := strings.ReplaceAll(strings.Join(gitlab.Script, "\n"), "/usr/share/amgpu/", repository(t)+"/scripts/")
	code, out := j.bash(t, script, env...)
	expect(t, "first", code, 0, out, "nothing was compared", "stored in baselines")
	code, out = j.bash(t, script, env...)
	expect(t, "second", code, 0, out, "compared 2 of 2 rows")
	if name := gitlab.Artifacts.Reports["junit"]; !j.has(name) {
		t.Errorf("no %s", name)
	}
}

// What is asked wrongly, and a baseline that must be there.
func TestRecipeRefuses(t *testing.T) {
	recipe := repository(t) + "/scripts/ci-recipe.sh "
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{"--no-such-option", 2, "unknown option --no-such-option"},
		{"--baseline", 2, "--baseline needs a value"},
		{"--store -- memory/triad", 2, "need --baseline"},
		{"-- no/such/workload", 2, "no/such/workload"},
		{"--baseline none --require-baseline -- memory/triad --gpus 1 " + tiny, 5, "baseline none: does not exist"},
		{"--out rules.yaml/out -- memory/triad --gpus 1 " + tiny, 2, "rules.yaml/out cannot be made"},
		{"--baseline rules.yaml/base --store -- memory/triad --gpus 1 " + tiny, 2, "cannot be stored in rules.yaml/base"},
		{"--rules rules.yaml --strict -- memory/triad --gpus 1 " + tiny, 3, "gate: amgpu-ci/results.json"},
	} {
		j := newJob(t)
		rules := "rows:\n  - {workload: memory/triad, rate: {min: 1e18}}\n"
		if err := os.WriteFile(filepath.Join(j.dir, "rules.yaml"), []byte(rules), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out := j.bash(t, recipe+c.line)
		expect(t, c.line, code, c.code, out, c.want)
	}
	j := newJob(t)
	code, out := j.bash(t, recipe+"-- memory/triad", "AMGPU="+j.dir+"/nowhere")
	expect(t, "no program", code, 2, out, "no program")
}
