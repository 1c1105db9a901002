//go:build mpi

package cmd

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
)

// slurm starts a cluster of two nodes on this machine, one slurmd for each, and returns the
// environment in which srun finds it.
func slurm(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	for _, sub := range []string{"state", "tmp-n1", "tmp-n2"} {
		if err := os.Mkdir(file(sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file("key"), []byte(strings.Repeat("amgpu test key, not a secret. ", 40)), 0o600); err != nil {
		t.Fatal(err)
	}
	var ports [3]int
	var listeners []net.Listener
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listeners = append(listeners, l)
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	for _, l := range listeners { // once all differ
		_ = l.Close()
	}
	conf := strings.NewReplacer("DIR", dir, "HOST", host, "PORT0", strconv.Itoa(ports[0]), "PORT1", strconv.Itoa(ports[1]), "PORT2", strconv.Itoa(ports[2])).Replace(`
ClusterName=amgpu
SlurmctldHost=HOST(127.0.0.1)
SlurmUser=root
SlurmctldPort=PORT0
AuthType=auth/munge
AuthInfo=socket=DIR/munge.sock
CredType=cred/munge
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool-%n
TmpFS=DIR/tmp-%n
SlurmctldPidFile=DIR/ctld.pid
SlurmdPidFile=DIR/slurmd-%n.pid
SlurmctldLogFile=DIR/ctld.log
SlurmdLogFile=DIR/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
NodeName=n1 NodeHostname=HOST NodeAddr=127.0.0.1 Port=PORT1 CPUs=1
NodeName=n2 NodeHostname=HOST NodeAddr=127.0.0.1 Port=PORT2 CPUs=1
PartitionName=p Nodes=n1,n2 Default=YES State=UP
`)
	if err := os.WriteFile(file("slurm.conf"), []byte(conf), 0o644); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "SLURM_CONF="+file("slurm.conf"), "XDG_CACHE_HOME="+dir, "XDG_RUNTIME_DIR="+dir)
	daemon := func(name string, args ...string) {
		c := exec.Command(name, args...) // in the foreground, so that it ends with the test
		c.Env = env
		if err := c.Start(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Cleanup(func() {
			_ = c.Process.Signal(syscall.SIGTERM)
			stuck := time.AfterFunc(10*time.Second, func() { _ = c.Process.Kill() })
			_ = c.Wait() // ended by the signal
			stuck.Stop()
		})
	}
	daemon("/usr/sbin/munged", "--foreground", "--force", "--key-file="+file("key"), "--socket="+file("munge.sock"), "--pid-file="+file("munge.pid"), "--log-file="+file("munge.log"), "--seed-file="+file("seed"))
	for k := 0; k < 1000; k++ {
		if _, err := os.Stat(file("munge.sock")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	daemon("/usr/sbin/slurmctld", "-D")
	daemon("/usr/sbin/slurmd", "-D", "-N", "n1")
	daemon("/usr/sbin/slurmd", "-D", "-N", "n2")
	for range 600 {
		c := exec.Command("sinfo", "-h", "-o", "%D %T")
		c.Env = env
		if out, _ := c.Output(); strings.TrimSpace(string(out)) == "2 idle" {
			return env
		}
		time.Sleep(100 * time.Millisecond)
	}
	log, _ := os.ReadFile(file("ctld.log"))
	t.Fatalf("the nodes do not come up\n%s", log)
	return nil
}

// TestMPISlurm runs the srun line of docs/cluster.md on two slurmd.
func TestMPISlurm(t *testing.T) {
	env := slurm(t)
	_, open := mpirun(t, true, 2)
	plugin := "pmi2"
	if open {
		plugin = "pmix"
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	args := append([]string{"--mpi=" + plugin, "--nodes=2", "--ntasks-per-node=1", "amgpu"}, across(path, "--gpus", "2")...)
	p := &process{Cmd: exec.CommandContext(t.Context(), "srun", args...)}
	p.Env, p.Stderr = env, &p.said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if code := within(t, p, 3*time.Minute); code != 0 {
		t.Fatalf("srun %v: exit code %d\n%s", args, code, p.said.String())
	}
	sound(t, path, 2)
	stoppedBySrun(t, env, plugin)
	for rank := range 2 {
		if want := fmt.Sprintf("rank %d: ", rank); !strings.Contains(p.said.String(), want) {
			t.Errorf("no %q:\n%s", want, p.said.String())
		}
	}
}

// stoppedBySrun: a rank that hangs under srun ends the job, is named, and what was measured is
// kept. With pmi2 Slurm kills rank 0 for ending the job, and the exit code is that of the signal.
func stoppedBySrun(t *testing.T, env []string, plugin string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.json")
	args := slices.Clone(endless)
	args[slices.Index(args, "--gpus")+1] = "2"
	args = append([]string{"--mpi=" + plugin, "--kill-on-bad-exit=1", "--nodes=2", "--ntasks-per-node=1", "amgpu"}, append(args, "--software", "1", "--no-progress", "-o", path)...)
	p := &process{Cmd: exec.CommandContext(t.Context(), "srun", args...)}
	p.Env, p.Stderr = env, &p.said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	pid := victim(t, p, path, 1)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	code := within(t, p, time.Minute)
	_ = syscall.Kill(pid, syscall.SIGKILL) // where the launcher left it
	if said := p.said.String(); code != codeLost && !(plugin == "pmi2" && code == 128+int(syscall.SIGKILL)) || !strings.Contains(said, "rank 1 on "+nodeName()) {
		t.Errorf("exit code %d\n%s", code, said)
	}
	if res, err := result.Read(path); err != nil || len(res.Trials) == 0 {
		t.Errorf("what was measured is lost: %v", err)
	}
}
