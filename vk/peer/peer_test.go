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
// asking for host says so, auto passes it over.
func TestHostNotImportable(t *testing.T) {
	team := open(t, "1+swiftshader")
	if _, _, err := New(Host, team); !errors.Is(err, vk.ErrUnsupported) {
		t.Errorf("host beside SwiftShader: %v", err)
	}
	carries(t, "auto", team, Staging, 1)
}

// carries makes the named transport, which verifies it, and checks which one it
// is and how many were passed over.
func carries(t *testing.T, name string, team []*vk.Device, want string, passed int) {
	t.Helper()
	tr, excluded, err := New(name, team)
	if err != nil || len(excluded) != passed {
		t.Fatalf("%q: %v, passed over %v, want %d", name, err, excluded, passed)
	}
	if tr.Name() != want {
		t.Errorf("%q chose %s, want %s", name, tr.Name(), want)
	}
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
}

func TestUnknownTransport(t *testing.T) {
	if _, _, err := New("pigeon", open(t, "1")); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "staging") {
		t.Errorf("error %v", err)
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

// spiller delivers everything and four bytes more.
type spiller struct{ Transport }

func (s spiller) Rounds(moves []Move, parity int) ([]Round, int, error) {
	rounds, parity, err := s.Transport.Rounds(moves, parity)
	for i := range rounds {
		for d := range rounds[i].In {
			for o := range rounds[i].In[d] {
				rounds[i].In[d][o].Size += 4
			}
		}
	}
	return rounds, parity, err
}

// TestVerificationCatchesLies: the gate before use must refuse transports that
// claim success, or no test of a real one means anything.
func TestVerificationCatchesLies(t *testing.T) {
	team := open(t, "2")
	good, err := newStaging(team)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := good.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, bad := range []Transport{liar{good}, spiller{good}} {
		if err := VerifyAll(bad, team); !errors.Is(err, ErrWrongData) {
			t.Errorf("%T passed: %v", bad, err)
		}
	}
	if err := VerifyAll(good, team); err != nil {
		t.Errorf("an honest transport was refused: %v", err)
	}
}

func TestSurvey(t *testing.T) {
	_, adapters := vktest.Team(t, "3")
	links, err := Survey(context.Background(), adapters)
	if err != nil {
		t.Fatal(err)
	}
	if len(links) != 6 {
		t.Fatalf("%d links between 3 devices, want 6", len(links))
	}
	for _, l := range links {
		if !l.Verified || l.Problem != "" || l.Bandwidth <= 0 || l.Latency <= 0 || l.Transport != Host {
			t.Errorf("link %+v", l)
		}
	}
}

// TestBatchSharesSources: one source for several receivers leaves its device
// once, and large moves are cut into rounds.
func TestBatchSharesSources(t *testing.T) {
	src := new(vk.Buffer)
	var moves []Move
	for to := 1; to < 4; to++ {
		moves = append(moves, Move{From: 0, To: to, Src: src, Dst: new(vk.Buffer), Size: 3*roundBytes + 12})
	}
	rounds := batch(moves)
	if len(rounds) != 4 {
		t.Fatalf("%d rounds, want 4", len(rounds))
	}
	var bytes uint64
	for _, r := range rounds {
		for _, s := range r {
			bytes += s.size
			if len(s.movers) != 3 || s.place+s.size > roundBytes+256 {
				t.Errorf("slot %+v", s)
			}
		}
	}
	if bytes != 3*roundBytes+12 {
		t.Errorf("%d bytes leave the source, want %d", bytes, 3*roundBytes+12)
	}
}
