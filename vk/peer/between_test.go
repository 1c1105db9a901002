package peer

import (
	"context"
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/vk"
)

// apart is process 0 of two with a device each, at the far end of a line.
func apart(far *line) *between {
	far.process = 1
	return &between{team: make([]*vk.Device, 2), post: Post{Self: 0, Home: []int{0, 1}}, links: map[pair]bool{}, lines: map[int]*line{1: far}, told: map[told]bool{}, fds: map[told]int{}, sizes: map[told]uint64{}}
}

// TestStepsOfTries: what is left on a line of a try that was given up is not taken for a word of
// the next one, and who waits in a try that the other end has given up learns it, and hears the
// later word in its turn.
func TestStepsOfTries(t *testing.T) {
	near, far := lines(t)
	b := apart(far)
	for _, n := range []notice{
		{Step: 1, Seed: 7, Places: []spot{{Block: 1, Size: 4}}}, // would be copied to
		{Step: 2, Text: "no memory"},
		{Step: 4, Text: "no device", Wrong: true},
	} {
		if err := near.send(n, -1); err != nil {
			t.Fatal(err)
		}
	}
	b.step = 2
	if err := b.trySending(t.Context(), nil, pair{0, 1}, 1); err == nil || err.Error() != "no memory" {
		t.Errorf("behind a word of an earlier try: %v", err)
	}
	b.step = 3
	if err := b.outcome(1); err == nil || err.Error() != "rank 1 has given up what rank 0 waits for" {
		t.Errorf("a word of a later try: %v", err)
	}
	b.step = 4
	if err := b.outcome(1); !errors.Is(err, ErrWrongData) || err.Error() != "no device" {
		t.Errorf("the later try: %v", err)
	}
	if err := b.report(1, nil); err != nil {
		t.Fatal(err)
	}
	if n, _, err := near.receive(); err != nil || n.Step != 4 {
		t.Errorf("a report of step %d: %v", n.Step, err)
	}
}

// TestLateBlocks: memory that comes too late for its try is kept while the other end counts on
// that, and not once both have forgotten all.
func TestLateBlocks(t *testing.T) {
	near, far := lines(t)
	b := apart(far)
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	send := func(step uint64, block uint64) {
		t.Helper()
		if err := near.send(notice{Step: step, Block: lent{ID: block, Size: 8}}, int(file.Fd())); err != nil {
			t.Fatal(err)
		}
		if err := near.send(notice{Step: b.step}, -1); err != nil {
			t.Fatal(err)
		}
	}
	b.step = 2
	send(1, 5)
	if err := b.outcome(1); err != nil || len(b.fds) != 1 {
		t.Errorf("%d blocks: %v", len(b.fds), err)
	}
	if err := b.forget(); err != nil || len(b.fds) != 0 {
		t.Fatalf("%d blocks: %v", len(b.fds), err)
	}
	b.step = 3
	send(2, 5) // was on its way
	if err := b.outcome(1); err != nil || len(b.fds) != 0 {
		t.Errorf("%d blocks: %v", len(b.fds), err)
	}
	send(3, 5)
	if _, err := b.hear(1); err != nil || len(b.fds) != 1 {
		t.Errorf("%d blocks: %v", len(b.fds), err)
	}
	for _, fd := range b.fds {
		if err := unix.Close(fd); err != nil {
			t.Error(err)
		}
	}
}

// TestMeetingEnds: processes that wait for each other's lines stop when they are told to.
func TestMeetingEnds(t *testing.T) {
	l, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.close(); err != nil {
			t.Error(err)
		}
	}()
	stopped, stop := context.WithCancel(t.Context())
	b := apart(&line{})
	clear(b.lines)
	over := make(chan map[int]error, 1)
	go func() { over <- b.connect(stopped, l, nil, []pair{{0, 1}}) }() // nobody calls
	stop()
	if wrong := <-over; !errors.Is(wrong[1], context.Canceled) {
		t.Errorf("who waits for a call: %v", wrong)
	}
	b.post = Post{Self: 1, Home: []int{0, 1}}
	if wrong := b.connect(stopped, nil, map[int]calling{0: {l.name, l.token}}, []pair{{0, 1}}); wrong[0] == nil {
		t.Error("who is to stop calls")
	}
}

// TestWhichMachine: processes are on one machine when both know theirs and it is the same; where
// none is known, nothing is asked of links between them.
func TestWhichMachine(t *testing.T) {
	for _, c := range []struct {
		boots, hosts [2]string
		same         bool
	}{
		{[2]string{"a\n", "a\n"}, [2]string{"x", "y"}, true}, // containers of one machine
		{[2]string{"a\n", "b\n"}, [2]string{"x", "x"}, false},
		{[2]string{"", ""}, [2]string{"x", "x"}, true},
		{[2]string{"", ""}, [2]string{"x", "y"}, false},
		{[2]string{"", "a\n"}, [2]string{"x", "x"}, false},
		{[2]string{"", ""}, [2]string{"", ""}, false},
	} {
		a, b := whereabouts{Boot: machineOf(c.boots[0], c.hosts[0])}, whereabouts{Boot: machineOf(c.boots[1], c.hosts[1])}
		if a.machine(b) != c.same || b.machine(a) != c.same {
			t.Errorf("boots %q, hosts %q: one machine %v", c.boots, c.hosts, !c.same)
		}
	}
	b := apart(&line{})
	b.links = map[pair]bool{}
	if err := b.forced(map[int]hail{0: {}, 1: {}}); err != nil {
		t.Errorf("processes that do not know where they are: %v", err)
	}
}

// TestGoneBlocks: a block that its process has freed is given back by who has it, with the next
// settlement between the two.
func TestGoneBlocks(t *testing.T) {
	near, far := lines(t)
	b := apart(far)
	for _, block := range []uint64{5, 6} {
		fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		b.fds[told{1, block}], b.sizes[told{1, block}] = fd, 8
	}
	kept := b.fds[told{1, 6}]
	b.ends = map[int]*cudaEnd{0: {blocks: []lentBlock{{id: 2}}}}
	b.told = map[told]bool{{1, 2}: true, {1, 3}: true, {2, 3}: true}
	if got := b.gone(1); len(got) != 1 || got[0] != 3 || len(b.told) != 2 || b.gone(1) != nil {
		t.Errorf("gone %v, left %v", got, b.told)
	}
	for _, n := range []notice{{Gone: []uint64{5, 7}}, {Places: []spot{{Block: 6, Size: 4}}}} {
		if err := near.send(n, -1); err != nil {
			t.Fatal(err)
		}
	}
	got, err := b.exchange(t.Context(), nil, map[int]int{1: 1})
	if err != nil || len(got[1]) != 1 || len(b.fds) != 1 || len(b.sizes) != 1 || b.fds[told{1, 6}] != kept {
		t.Errorf("%v, %v, %v", got, b.fds, err)
	}
	if err := b.forget(); err != nil {
		t.Error(err)
	}
}
