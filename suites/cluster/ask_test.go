package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/cluster/internal/loop"
	"github.com/amgpu/amgpu/vk"
)

var anInfo = make([]vk.Info, 1)

// TestAskOneRank: what is asked of one rank is done there alone and answered, errors too; a lock
// that is waited for ends with the context, and what was locked is given back at the end.
func TestAskOneRank(t *testing.T) {
	hub, err := loop.New(2)
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	var held atomic.Int32
	own := []result.Device{{Name: "d", Software: true}}
	var there sync.WaitGroup
	there.Go(func() {
		r, err := Join(context.Background(), loopNet{hub.Rank(1)}, Description{Node: "n1", Devices: own, Infos: anInfo}, time.Minute)
		if err != nil {
			t.Error(err)
			return
		}
		defer r.Close()
		err = r.Follow(context.Background(), &Follower{
			Lock: func(ctx context.Context, devices []int) (func(), error) {
				switch devices[0] {
				case 7:
					return nil, errors.New("no such file")
				case 8:
					<-ctx.Done()
					return nil, context.Cause(ctx)
				}
				held.Add(1)
				return func() { held.Add(-1) }, nil
			},
			Survey: func(context.Context) ([]result.Link, error) { return []result.Link{{From: 3, To: 4}}, nil },
			Describe: func(_ context.Context, about string, devices []int) ([]byte, error) {
				return fmt.Appendf(nil, "%s of %v", about, devices), nil
			},
		})
		if err != nil {
			t.Error(err)
		}
	})
	r, err := Join(context.Background(), loopNet{hub.Rank(0)}, Description{Node: "n0", Devices: own, Infos: anInfo}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if err := errors.Join(r.Lock(ctx, 1, []int{1}), r.Lock(ctx, 1, []int{2})); err != nil || held.Load() != 2 {
		t.Errorf("%v, %d locks", err, held.Load())
	}
	if err := r.Unlock(ctx, 1); err != nil || held.Load() != 0 {
		t.Errorf("%v, %d locks", err, held.Load())
	}
	var failed *RankError
	if err := r.Lock(ctx, 1, []int{7}); !errors.As(err, &failed) || err.Error() != "rank 1 on n1: no such file" {
		t.Errorf("error %v", err)
	}
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if err := r.Lock(short, 1, []int{8}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if links, err := r.Survey(ctx, 1); err != nil || len(links) != 1 || links[0].To != 4 {
		t.Errorf("%v, %v", links, err)
	}
	if text, err := r.Describe(ctx, 1, "heat", []int{3, 5}); err != nil || string(text) != "heat of [3 5]" {
		t.Errorf("%s, %v", text, err)
	}
	if ahead, err := r.Ahead(ctx, 1); err != nil || ahead < -1e8 || ahead > 1e8 { // one clock here
		t.Errorf("ahead by %d ns, %v", ahead, err)
	}
	if err := r.Lock(ctx, 1, []int{1}); err != nil {
		t.Error(err)
	}
	r.Close()
	if there.Wait(); held.Load() != 0 {
		t.Errorf("%d locks are left", held.Load())
	}
}

// TestStuckRank: a rank that lives and never ends what it was told to give up is lost, and named.
func TestStuckRank(t *testing.T) {
	hub, err := loop.New(2)
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	own := []result.Device{{Name: "d", Software: true}}
	var there sync.WaitGroup
	stuck := make(chan struct{})
	there.Go(func() {
		r, err := Join(context.Background(), loopNet{hub.Rank(1)}, Description{Node: "n1", Devices: own, Infos: anInfo}, time.Minute)
		if err != nil {
			t.Error(err)
			return
		}
		defer r.Close()
		_ = r.Follow(context.Background(), &Follower{Lock: func(context.Context, []int) (func(), error) {
			<-stuck
			return nil, errors.New("too late")
		}})
	})
	r, err := Join(context.Background(), loopNet{hub.Rank(0)}, Description{Node: "n0", Devices: own, Infos: anInfo}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	r.limit = 100 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = r.Lock(ctx, 1, []int{1})
	if !errors.Is(err, ErrRankLost) || !strings.Contains(err.Error(), "rank 1 on n1: rank lost: it lives and has not ended") {
		t.Errorf("error %v", err)
	}
	if !errors.Is(r.Missing(), ErrRankLost) {
		t.Error("nobody is missed")
	}
	close(stuck)
	r.Close()
	there.Wait()
}
