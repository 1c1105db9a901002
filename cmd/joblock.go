package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/cluster"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// follower is what other ranks do for rank 0, whatever the command.
func (j *job) follower(s streams, adapters []*vk.Adapter, pool []result.Device) *cluster.Follower {
	return &cluster.Follower{
		Adapters: adapters, CacheDir: cacheDir(), Links: peer.OpenCache(""), Workloads: suites.Find,
		Lock: func(ctx context.Context, devices []int) (func(), error) {
			return lockSome(ctx, s, pool, devices)
		},
		Survey: func(ctx context.Context) ([]result.Link, error) { return surveyLinks(ctx, present(adapters)) },
	}
}

// present are the adapters of this process.
func present(adapters []*vk.Adapter) []*vk.Adapter {
	return slices.DeleteFunc(slices.Clone(adapters), (*vk.Adapter).Absent)
}

// lockSome takes the locks of some devices of a pool.
func lockSome(ctx context.Context, s streams, pool []result.Device, devices []int) (unlock func(), err error) {
	names, some, theirs := lockNames(pool), []result.Device{}, []string{}
	for _, at := range devices {
		some, theirs = append(some, pool[at]), append(theirs, names[at])
	}
	return lockNamed(ctx, s, some, theirs)
}

// lockTurn is a part of the locks of a job: devices that one rank locks.
type lockTurn struct {
	rank    int
	devices []int
}

// lockTurns are the parts in the order in which every job takes locks, so that no two wait for
// each other: by node, on each by the names of the lock files.
func lockTurns(pool []result.Device) []lockTurn {
	names, order := lockNames(pool), make([]int, len(pool))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(pool[a].Node, pool[b].Node), cmp.Compare(names[a], names[b]))
	})
	var out []lockTurn
	for _, at := range order {
		rank := *pool[at].Rank
		if n := len(out); n == 0 || out[n-1].rank != rank {
			out = append(out, lockTurn{rank: rank})
		}
		last := &out[len(out)-1]
		last.devices = append(last.devices, at)
	}
	return out
}

// lock has each rank take the locks of its devices, one rank after the other.
func (j *job) lock(ctx context.Context, s streams, pool []result.Device) (unlock func(), err error) {
	var held []func()
	unlock = func() {
		for _, release := range held {
			release()
		}
	}
	for _, t := range lockTurns(pool) {
		release := func() { _ = j.rank.Unlock(context.WithoutCancel(ctx), t.rank) } // who is gone holds none
		if t.rank == 0 {
			release, err = lockSome(ctx, s, pool, t.devices)
		} else {
			err = j.rank.Lock(ctx, t.rank, t.devices)
		}
		var there *cluster.RankError
		switch {
		case errors.As(err, &there) && !errors.Is(err, cluster.ErrRankLost):
			err = usage("%w", err)
		case err != nil && ctx.Err() == nil:
			err = fmt.Errorf("locking the devices of rank %d: %w", t.rank, err)
		}
		if err != nil {
			unlock()
			return nil, err
		}
		held = append(held, release)
	}
	return unlock, nil
}
