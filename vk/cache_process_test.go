package vk_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// builderEnv, where it is set, makes TestPipelineCacheProcesses one of the processes that
// build pipelines, with the cache in the folder that it names.
const builderEnv = "AMGPU_TEST_PIPELINE_BUILDER"

// hashes are of as many pipelines, each a file of its own.
var hashes = []string{"a", "b", "c"}

// Processes that build the same pipelines at once in one folder and remove files, so that
// others write them: whatever is read meanwhile is a whole file, although some of them are killed
// in the middle. Files that are damaged then are written again. Every process computes
// with each of its pipelines what it should.
func TestPipelineCacheProcesses(t *testing.T) {
	if dir := os.Getenv(builderEnv); dir != "" {
		build(t, dir)
		return
	}
	const builders, kills = 3, 3
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := filepath.Join(t.TempDir(), "cache")
	var all []*builder
	for range builders {
		all = append(all, startBuilder(t, dir))
	}
	rounds := func(n int64, looking bool, of ...*builder) {
		t.Helper()
		for _, b := range of {
			for until, end := b.rounds.Load()+n, time.Now().Add(time.Minute); b.rounds.Load() < until; time.Sleep(time.Millisecond) {
				if looking {
					wholeFiles(t, dir)
				}
				if time.Now().After(end) {
					t.Fatalf("no %d rounds in a minute: %s", n, b.said.String())
				}
			}
		}
	}
	rounds(2, true, all...)
	for range kills {
		b := startBuilder(t, dir)
		rounds(1, true, b)
		time.Sleep(time.Duration(rng.Int64N(int64(30 * time.Millisecond))))
		if err := b.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = b.Wait() // killed
		wholeFiles(t, dir)
	}
	for n := range 3 {
		damage(t, dir, n)
		rounds(2, false, all...)
	}
	for _, b := range all {
		closes(t, b.work)
	}
	for _, b := range all {
		if err := b.Wait(); err != nil {
			t.Errorf("%v: %s", err, b.said.String())
		}
	}
	if n := wholeFiles(t, dir); n != len(hashes) {
		t.Errorf("%d files of %d pipelines", n, len(hashes))
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) > len(hashes)+kills {
		t.Errorf("%d files, as much as %d pipelines and %d killed processes explain; %v", len(list), len(hashes), kills, err)
	}
}

// builder is a process that builds pipelines until its standard input ends.
type builder struct {
	*exec.Cmd
	work   io.Closer
	said   *bytes.Buffer
	rounds atomic.Int64
}

func startBuilder(t *testing.T, dir string) *builder {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := &builder{Cmd: exec.CommandContext(t.Context(), self, "-test.run", "^TestPipelineCacheProcesses$", "-test.count", "1"), said: &bytes.Buffer{}}
	b.Env = append(os.Environ(), builderEnv+"="+dir)
	if b.work, err = b.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out := &counter{b} // the same for both, so that one goroutine writes
	b.Stdout, b.Stderr = out, out
	if err := b.Start(); err != nil {
		t.Fatal(err)
	}
	return b
}

// counter counts the lines that say that a round is over, and keeps what else is said.
type counter struct{ *builder }

func (c *counter) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if bytes.Equal(line, []byte(roundOver)) {
			c.rounds.Add(1)
		} else {
			c.said.Write(line)
		}
	}
	return len(p), nil
}

const roundOver = "round over\n"

// build is what a builder does: every second round removes files first, the last does not.
func build(t *testing.T, dir string) {
	_, adapters := vktest.Team(t, "1")
	d, err := adapters[0].Open(vk.DeviceOptions{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer closes(t, d)
	v, err := d.NewBuffer(256, vk.HostRead)
	if err != nil {
		t.Fatal(err)
	}
	var over atomic.Bool
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte() // its end is what is waited for
		over.Store(true)
	}()
	for round, last := 0, false; !last; round++ {
		last = over.Load()
		for _, hash := range hashes {
			if files, _ := filepath.Glob(filepath.Join(dir, "*.pipeline")); round%2 == 1 && !last && len(files) > 0 {
				_ = os.Remove(files[round%len(files)]) // another one may have been faster
			}
			k, err := d.NewKernel(spirv(t, "step"), vk.KernelOptions{Name: "step", Hash: hash, Bindings: 1, PushBytes: 4, Spec: []vk.SpecConst{{ID: 0, Value: groupSize}}})
			if err != nil {
				t.Fatal(err)
			}
			s := set(t, d, k, v)
			c, err := d.Record([]vk.Op{fill(v, 1), barrier(vk.StageTransfer, vk.StageCompute), dispatch(k, s, 64), barrier(vk.StageCompute, vk.StageHost)})
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Do(limit(t), c); err != nil {
				t.Fatal(err)
			}
			check(t, v.Bytes(), func(i int) uint32 { return uint32(3 + i) })
			closes(t, c)
			closes(t, k)
		}
		fmt.Print(roundOver)
	}
}
