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
	for _, spec := range []string{"3", "1+swiftshader"} {
		team := open(t, spec)
		for _, name := range append(Names(), "auto", "") {
			tr, excluded, err := New(name, team)
			if err != nil || len(excluded) > 0 {
				t.Fatalf("%s on %s: %v, passed over %v", name, spec, err, excluded)
			}
			if name == "auto" && tr.Name() != Host {
				t.Errorf("auto chose %s where host works", tr.Name())
			}
			if err := tr.Close(); err != nil {
				t.Error(err)
			}
		}
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
