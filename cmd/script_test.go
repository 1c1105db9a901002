package cmd

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/sys/unix"
)

// mesaCache names the variable for the folder of Mesa's shader cache.
const mesaCache = "MESA_SHADER_CACHE_DIR"

// sharedCache is where what does not concern a test is cached, over tests and runs.
var sharedCache = filepath.Join(os.TempDir(), "amgpu-test-cache")

func TestMain(m *testing.M) {
	// A folder of caches for each test would have lavapipe compile its shaders each time.
	// The commands that tests start come by here too, and have it already.
	if os.Getenv(mesaCache) == "" {
		if err := errors.Join(os.MkdirAll(sharedCache, 0o700), os.Setenv(mesaCache, sharedCache)); err != nil {
			panic(err)
		}
	}
	testscript.Main(m, map[string]func(){
		"amgpu": func() { os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, scripts("testdata/script"))
}

// scripts is how the scripts of a folder run.
func scripts(dir string) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			source, err := filepath.Abs("..")
			if err != nil {
				return err
			}
			e.Setenv("SOURCE", source)
			e.Setenv("XDG_RUNTIME_DIR", e.WorkDir) // locks of its own
			e.Setenv("XDG_CACHE_HOME", sharedCache)
			e.Setenv(mesaCache, os.Getenv(mesaCache))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exitcode":  exitcode,
			"schema":    schema,
			"signalled": signalled,
			"synthetic": synthetic,
			"calm":      calm,
			"turns":     turns,
			"winner":    winner,
			"damage":    damage,
		},
	}
}

// exitcode N program args..: the program must end with exactly that code.
func exitcode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode N program args..")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := codeFrom(ts, ts.Exec(args[1], args[2:]...)); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// schema FILE..: what a command really wrote fits the published JSON Schema.
func schema(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: schema FILE..")
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	published, err := c.Compile(filepath.Join("..", "report", "result", "schema.json"))
	ts.Check(err)
	for _, name := range args {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(ts.ReadFile(name)))
		ts.Check(err)
		if err := published.Validate(doc); err != nil {
			ts.Fatalf("%s: %v", name, err)
		}
	}
}

func codeFrom(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	ts.Fatalf("%v", err)
	return -1
}

// signalled SIGNAL N FILE program args..: sends the signal once FILE.journal (of a checkpoint or
// confirmation: FILE) holds a trial; the program must end with code N (-1: killed). FULL is no
// signal: from then on no file may grow longer than the journal and a part of
// its next line. What the program said is in FILE.stderr.
func signalled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: signalled INT|KILL|FULL N FILE program args..")
	}
	sig := map[string]syscall.Signal{"INT": syscall.SIGINT, "KILL": syscall.SIGKILL}[args[0]]
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	watched := args[2] + ".journal"
	if strings.Contains(args[2], ".confirm-") || strings.HasSuffix(args[2], ".ckpt") { // these are written whole
		watched = args[2]
	}
	path, err := exec.LookPath(args[3])
	ts.Check(err)
	c := exec.Command(path, args[4:]...)
	c.Dir = ts.Getenv("WORK")
	for _, name := range []string{"XDG_RUNTIME_DIR", "XDG_CACHE_HOME", mesaCache, "PATH", "HOME", "TMPDIR"} {
		c.Env = append(c.Env, name+"="+ts.Getenv(name))
	}
	var stderr bytes.Buffer
	c.Stderr = &stderr
	ts.Check(c.Start())
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	deadline := time.After(60 * time.Second)
	for sent := false; ; {
		select {
		case err := <-done:
			if !sent {
				ts.Fatalf("ended before a trial was journalled: %v\n%s", err, stderr.String())
			}
			if got := codeFrom(ts, err); got != want {
				ts.Fatalf("exit code %d, want %d\n%s", got, want, stderr.String())
			}
			ts.Check(os.WriteFile(ts.MkAbs(args[2]+".stderr"), stderr.Bytes(), 0o600))
			return
		case <-deadline:
			_ = c.Process.Kill()
			ts.Fatalf("no end after 60 s\n%s", stderr.String())
		case <-time.After(5 * time.Millisecond):
			raw, err := os.ReadFile(ts.MkAbs(watched))
			if !sent && err == nil && bytes.Count(raw, []byte("\n")) >= 2 {
				if args[0] == "FULL" {
					most := uint64(len(raw)) + 100
					ts.Check(unix.Prlimit(c.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: most}, nil))
				} else {
					ts.Check(c.Process.Signal(sig))
				}
				sent = true
			}
		}
	}
}
