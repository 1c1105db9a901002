package peer

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

func open(t *testing.T, spec string) []*vk.Device {
	t.Helper()
	_, adapters := vktest.Team(t, spec)
	team := make([]*vk.Device, len(adapters))
	for i, a := range adapters {
		d, err := a.Open(vk.DeviceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		team[i] = d
	}
	return team
}

// TestTransportsCarryData verifies both transports on equal and unequal teams.
func TestTransportsCarryData(t *testing.T) {
	team := open(t, "3")
	for _, name := range []string{Host, "auto", ""} {
		carries(t, name, team, Host, 0)
	}
	carries(t, Staging, team, Staging, 0)
	carries(t, Staging, open(t, "1+swiftshader"), Staging, 0)
}

// SwiftShader offers the extension for host memory and makes no buffer of it:
// asking for host says so, auto passes it over, and only where SwiftShader is.
func TestHostNotImportable(t *testing.T) {
	team := open(t, "1+swiftshader")
	if _, err := New(Options{Transport: Host}, team); !errors.Is(err, vk.ErrUnsupported) || errors.Is(err, ErrWrongData) {
		t.Errorf("host beside SwiftShader: %v", err)
	}
	carries(t, "auto", team, Staging, 1)
	carries(t, "auto", open(t, "2+swiftshader"), Mixed, 1)
}

// carries makes the named transport, which verifies it, and checks which one it
// is and how often one was passed over.
func carries(t *testing.T, name string, team []*vk.Device, want string, passed int) {
	t.Helper()
	r, err := New(Options{Transport: name}, team)
	if err != nil || len(r.Excluded()) != passed {
		t.Fatalf("%q: %v, passed over %v, want %d", name, err, r.Excluded(), passed)
	}
	if r.Name() != want {
		t.Errorf("%q chose %s, want %s", name, r.Name(), want)
	}
	for i, a := range team {
		for j, b := range team {
			swift := strings.Contains(a.Info().Name+b.Info().Name, "SwiftShader")
			if via := r.Via(i, j); i != j && want == Mixed && (via == Staging) != swift {
				t.Errorf("link %d -> %d by %s", i, j, via)
			}
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestUnknownTransport(t *testing.T) {
	if _, err := New(Options{Transport: "pigeon"}, open(t, "1")); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "staging") {
		t.Errorf("error %v", err)
	}
}

// What is not meant for these devices is refused with a reason when it is asked for.
func TestRefusals(t *testing.T) {
	team := open(t, "2")
	for name, want := range map[string]string{
		CUDA:   "transport cuda: it copies between NVIDIA GPUs, and the team has 0",
		DmaBuf: "transport dmabuf: not supported: it needs VK_EXT_external_memory_dma_buf on both ends, and 0 of these 2 devices have it",
	} {
		if name == DmaBuf && team[0].Shares(vk.DmaBuf) {
			carries(t, name, team, DmaBuf, 0)
			continue
		}
		if _, err := New(Options{Transport: name}, team); !errors.Is(err, vk.ErrUnsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// liar reports success and delivers nothing, as cross-device memory sharing
// does on some drivers.
type liar struct{ Transport }

func (l liar) Rounds(moves []Move, parity int) ([]Round, int, error) {
	rounds, parity, err := l.Transport.Rounds(moves, parity)
	for i := range rounds {
		for d := range rounds[i].In {
			rounds[i].In[d] = nil
		}
	}
	return rounds, parity, err
}

// spiller delivers everything, and four bytes more behind short copies.
type spiller struct{ Transport }

func (s spiller) Rounds(moves []Move, parity int) ([]Round, int, error) {
	rounds, parity, err := s.Transport.Rounds(moves, parity)
	for i := range rounds {
		for d := range rounds[i].In {
			for o := range rounds[i].In[d] {
				if op := &rounds[i].In[d][o]; op.Size < 1024 {
					op.Size += 4
				}
			}
		}
	}
	return rounds, parity, err
}

// slipper delivers everything four bytes from where it belongs in the source.
type slipper struct{ Transport }

func (s slipper) Rounds(moves []Move, parity int) ([]Round, int, error) {
	for i := range moves {
		moves[i].SrcOff += 4
	}
	return s.Transport.Rounds(moves, parity)
}

// TestVerificationCatchesLies: the gate before use must refuse transports that
// claim success, or no test of a real one means anything.
func TestVerificationCatchesLies(t *testing.T) {
	team := open(t, "2")
	good, err := newStaging(team)
	if err != nil {
		t.Fatal(err)
	}
	p := newProber(team)
	defer func() {
		if err := errors.Join(p.close(), good.Close()); err != nil {
			t.Error(err)
		}
	}()
	links := []pair{{0, 1}, {1, 0}}
	for _, test := range []struct {
		bad  Transport
		want string
	}{
		{liar{good}, "802889 words of 802889, 802889 of them never written; the first at byte 0 of a copy of 4 bytes"},
		{slipper{good}, "802889 words of 802889, 0 of them never written; the first at byte 0 of a copy of 4 bytes"},
		{spiller{good}, "byte 4 of a copy of 4 bytes was written, outside its target"},
	} {
		for i, err := range p.verifyAll(test.bad, links) {
			if !errors.Is(err, ErrWrongData) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%T, link %v: %v", test.bad, links[i], err)
			}
		}
	}
	for i, err := range p.verifyAll(good, links) {
		if err != nil {
			t.Errorf("an honest transport was refused on link %v: %v", links[i], err)
		}
	}
}

// A transport that lies is refused with that reason when it is the only one, and
// replaced by the next one on the links where it lies.
func TestLiarIsReplaced(t *testing.T) {
	team := open(t, "2")
	lying := kind{name: "lying", make: func(team []*vk.Device) (Transport, error) {
		good, err := newStaging(team)
		return liar{good}, err
	}}
	if _, err := newRoutes([]kind{lying}, nil, team); !errors.Is(err, ErrWrongData) {
		t.Errorf("a lying transport alone: %v", err)
	}
	r, err := newRoutes([]kind{lying, {name: Host, make: newHost}}, OpenCache(""), team)
	if err != nil {
		t.Fatal(err)
	}
	if r.Name() != Host || len(r.Excluded()) != 1 || !errors.Is(r.Excluded()[0], ErrWrongData) {
		t.Errorf("beside host: %s, passed over %v", r.Name(), r.Excluded())
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestSurvey(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	links, err := Survey(context.Background(), adapters, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(links) != 6 {
		t.Fatalf("%d links between 3 devices, want 6", len(links))
	}
	for _, l := range links {
		if !l.Verified || l.Problem != "" || l.Bandwidth <= 0 || l.BothWays <= 0 || l.Latency <= 0 || l.Transport != Host {
			t.Errorf("link %+v", l)
		}
	}
}
