package peer

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer/internal/cuda"
)

// lender is a source whose blocks another device allocated where the host sees
// them; addresses are the host's, as the fake CUDA's copies want them.
type lender struct{ from *vk.Device }

func (l lender) NewBlock(size uint64) (vk.Block, error) {
	b, fd, err := l.from.NewShared(size, vk.Opaque, vk.HostWrite)
	if err != nil {
		return vk.Block{}, err
	}
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b.Bytes())))
	return vk.Block{Fd: fd, Size: size, Address: uint64(at), Free: b.Close}, nil
}

// fakeCUDA is the CUDA transport over a CUDA driver made for tests, in which the
// third device of a team is reached by nobody.
func fakeCUDA(t *testing.T) kind {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libcuda.so.1")
	out, err := exec.Command("cc", "-shared", "-fPIC", "-O1", "-o", path, "internal/cuda/testdata/fakecuda.c").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("AMGPU_CUDA_LIBRARY", path)
	lib, err := cuda.Open()
	if err != nil {
		t.Fatal(err)
	}
	return kind{name: CUDA, make: func(team []*vk.Device) (Transport, error) {
		lends := []int{1, 0, 0} // of the same driver
		uuids := make([][16]byte, len(team))
		for i := range team {
			uuids[i][0] = byte(i + 1)
		}
		return connectCUDA(lib, team, uuids, func(i int, _ *cudaEnd) vk.BlockSource { return lender{team[lends[i]]} })
	}}
}

func routes(t *testing.T, team []*vk.Device, kinds ...kind) *Routes {
	t.Helper()
	r, err := newRoutes(kinds, nil, team)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// everyLink moves data over all links of three devices in one exchange, runs
// times in a row, and checks all of it. The last error of a run is returned.
func everyLink(t *testing.T, r *Routes, ctx context.Context, runs int) error {
	t.Helper()
	return everyLinkOf(t, r, ctx, runs, func(*vk.Schedule) {})
}

// everyLinkOf does so after prepare.
func everyLinkOf(t *testing.T, r *Routes, ctx context.Context, runs int, prepare func(*vk.Schedule)) error {
	t.Helper()
	p := newProber(r.team)
	defer func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	}()
	ends := make([]*probeEnd, len(r.team))
	for i := range r.team {
		e, err := p.end(i)
		if err != nil {
			t.Fatal(err)
		}
		ends[i] = e
	}
	// Of the regions of a probe the last two, one for each sender.
	var starts [2]uint32
	var at uint32
	for i, n := range probeWords {
		if k := i - len(probeWords) + 2; k >= 0 {
			starts[k] = at
		}
		at += n + 2*probeEdge
	}
	type check struct{ begin, lo, n, seed uint32 }
	checks := make([][]check, len(r.team))
	var moves []Move
	for to := range r.team {
		for from := range r.team {
			if from == to {
				continue
			}
			k := len(checks[to])
			n, lo := probeWords[len(probeWords)-2+k], starts[k]+probeEdge
			checks[to] = append(checks[to], check{starts[k], lo, n, uint32(1000 + from)})
			moves = append(moves, Move{From: from, To: to, Src: ends[from].src, SrcOff: 4 * uint64(lo+probeShift), Dst: ends[to].dst, DstOff: 4 * uint64(lo), Size: 4 * uint64(n)})
		}
	}
	rounds, _, err := r.Rounds(moves, 1)
	if err != nil {
		t.Fatal(err)
	}
	c := newChain(r.team, rounds)
	defer func() {
		if err := c.close(); err != nil {
			t.Error(err)
		}
	}()
	for i, e := range ends {
		c.before(i, e.fills(e.srcSet, uint32(1000+i), false), e.fills(e.dstSet, sentinel, true))
		ops := []vk.Op{{Kind: vk.OpFill, Dst: e.result, Size: 16}, Barrier(vk.StageTransfer, vk.StageCompute|vk.StageTransfer)}
		for _, k := range checks[i] {
			ops = append(ops, e.compares(k.begin, k.lo+k.n+probeEdge, k.lo, k.lo+k.n, k.seed))
		}
		c.after(i, append(ops, Barrier(vk.StageCompute, vk.StageTransfer), copyOp(e.result, 0, e.report, 0, 16), Barrier(vk.StageTransfer, vk.StageHost))...)
	}
	s, err := c.schedule()
	if err != nil {
		t.Fatal(err)
	}
	prepare(s)
	for range runs {
		if _, err = s.Run(ctx); err != nil {
			continue
		}
		for i, e := range ends {
			if wrong := words(e.report.Bytes())[0]; wrong != 0 {
				t.Errorf("device %d: %d wrong words", i, wrong)
			}
		}
	}
	return err
}

// Some links by a copy engine, some through host memory, some staged: every link
// is verified by itself, and all of them carry data in one exchange.
func TestMixedTeam(t *testing.T) {
	fake := fakeCUDA(t)
	team := open(t, "2+swiftshader")
	// SwiftShader must be the third, which the fake reaches from nowhere.
	for i, d := range team {
		if strings.Contains(d.Info().Name, "SwiftShader") {
			team = append(append(team[:i:i], team[i+1:]...), d)
		}
	}
	r := routes(t, team, fake, kind{name: Host, make: newHost}, kind{name: Staging, make: newStaging})
	if r.Name() != Mixed || r.String() != "0 -> 1 cuda, 0 -> 2 staging, 1 -> 0 cuda, 1 -> 2 staging, 2 -> 0 staging, 2 -> 1 staging" {
		t.Fatalf("%s: %v", r.Name(), r)
	}
	if err := everyLink(t, r, t.Context(), 3); err != nil {
		t.Error(err)
	}

	r = routes(t, open(t, "3"), fake, kind{name: Host, make: newHost}, kind{name: Staging, make: newStaging})
	if r.Name() != Mixed || r.Via(1, 0) != CUDA || r.Via(1, 2) != Host {
		t.Fatalf("%s: %v", r.Name(), r)
	}
	if err := everyLink(t, r, t.Context(), 20); err != nil {
		t.Error(err)
	}
}

// An engine that reports success and copies nothing is found out.
func TestEngineThatLies(t *testing.T) {
	fake := fakeCUDA(t)
	team := open(t, "2")
	t.Setenv("FAKECUDA_LOSE", "1")
	if _, err := newRoutes([]kind{fake}, nil, team); !errors.Is(err, ErrWrongData) {
		t.Errorf("a lying engine alone: %v", err)
	}
	r := routes(t, team, fake, kind{name: Host, make: newHost})
	if r.Name() != Host || len(r.Excluded()) != 1 || !strings.Contains(r.Excluded()[0].Error(), "transport cuda, links 0 -> 1, 1 -> 0: wrong data: ") {
		t.Errorf("beside host: %s, passed over %v", r.Name(), r.Excluded())
	}
}

// An engine that fails is named with its device and its own error, and does not
// leave anything behind.
func TestEngineThatFails(t *testing.T) {
	fake := fakeCUDA(t)
	r := routes(t, open(t, "3"), fake, kind{name: Staging, make: newStaging})
	for _, test := range []struct{ call, want string }{
		{"cuMemcpyDtoDAsync", "the start of a peer copy by CUDA from device "},
		{"cuEventRecord", "the start of a peer copy by CUDA from device "},
		{"cuEventQuery", "a peer copy by CUDA from device "},
	} {
		t.Setenv("FAKECUDA_FAIL", test.call)
		err := everyLink(t, r, t.Context(), 1)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.call+": CUDA_ERROR_UNKNOWN") {
			t.Errorf("%s fails: %v", test.call, err)
		}
		t.Setenv("FAKECUDA_FAIL", "")
		if err := everyLink(t, r, t.Context(), 2); err != nil {
			t.Errorf("after %s failed: %v", test.call, err)
		}
	}
}

// A cancelled run comes back only when the copies that were under way are over:
// afterwards their memory may be freed.
func TestCancelWaitsForEngine(t *testing.T) {
	fake := fakeCUDA(t)
	r := routes(t, open(t, "3"), fake, kind{name: Host, make: newHost})
	const takes = 1500 * time.Millisecond
	t.Setenv("FAKECUDA_MS", "1500")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var before time.Time
	prepare := func(*vk.Schedule) { // all is recorded: what may take long on a busy machine
		before = time.Now()
		time.AfterFunc(2*takes/3, cancel)
	}
	if err := everyLinkOf(t, r, ctx, 1, prepare); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if took := time.Since(before); took < takes {
		t.Errorf("back after %v, while a copy of %v was under way", took, takes)
	}
	t.Setenv("FAKECUDA_MS", "")
	if err := everyLink(t, r, t.Context(), 2); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A copy engine cannot reach buffers that were made before it was there.
func TestBufferOlderThanTransport(t *testing.T) {
	fake := fakeCUDA(t)
	team := open(t, "2")
	old, err := team[0].NewBuffer(4096, vk.DeviceLocal)
	if err != nil {
		t.Fatal(err)
	}
	r := routes(t, team, fake)
	young, err := team[1].NewBuffer(4096, vk.DeviceLocal)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Rounds([]Move{{From: 0, To: 1, Src: old, Dst: young, Size: 4096}}, 0); err == nil || !strings.Contains(err.Error(), "made before the transport") {
		t.Errorf("error %v", err)
	}
}
