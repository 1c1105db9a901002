package peer

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"
)

// lines opens a line between two ends of this process.
func lines(t *testing.T) (a, b *line) {
	t.Helper()
	l, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	dialled := make(chan error, 1)
	go func() {
		var err error
		a, err = dial(t.Context(), l.name, l.token, 0, 1)
		dialled <- err
	}()
	b, err = l.accept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := <-dialled; err != nil {
		t.Fatal(err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.close(); err != nil {
			t.Error(err)
		}
		if err := b.close(); err != nil {
			t.Error(err)
		}
	})
	return a, b
}

// TestLine: notices and descriptors arrive; a wait that was given up leaves the line usable.
func TestLine(t *testing.T) {
	a, b := lines(t)
	if b.process != 1 {
		t.Errorf("rank %d called", b.process)
	}
	stopped, stop := context.WithCancel(t.Context())
	free := b.bound(stopped)
	stop()
	if _, _, err := b.receive(); err == nil {
		t.Error("a wait that was given up received something")
	}
	free()
	free = b.bound(context.Background()) // without a deadline of its own
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.send(notice{Block: lent{ID: 7, Size: 8}}, int(file.Fd())); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	got, fd, err := b.receive()
	free()
	if err != nil || got.Block.ID != 7 || fd < 0 {
		t.Fatalf("%+v, descriptor %d: %v", got, fd, err)
	}
	if err := os.NewFile(uintptr(fd), "passed").Close(); err != nil {
		t.Error(err)
	}
}

// TestStrangers: who does not know the token gets no line.
func TestStrangers(t *testing.T) {
	l, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.close(); err != nil {
			t.Error(err)
		}
	}()
	stranger, err := dial(t.Context(), l.name, "guessed", 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := l.accept(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a stranger has a line: %v", err)
	}
	if err := stranger.close(); err != nil {
		t.Error(err)
	}
}

// TestRefusal: a process that cannot say where its memory is says why, and nobody waits.
func TestRefusal(t *testing.T) {
	near, far := lines(t)
	far.process = 1
	b := &between{post: Post{Self: 0, Home: []int{0, 1}}, lines: map[int]*line{1: far}, told: map[told]bool{}, fds: map[told]int{}, sizes: map[told]uint64{}}
	if err := near.send(notice{Text: "no memory"}, -1); err != nil {
		t.Fatal(err)
	}
	_, err := b.exchange(t.Context(), nil, map[int]int{1: 3})
	if err == nil || err.Error() != "rank 1: no memory" {
		t.Errorf("%v", err)
	}
}
