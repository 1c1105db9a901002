// Package cluster makes teams of devices that lie in several processes, the ranks of a
// job that MPI has started. Rank 0 leads: it runs the ordinary commands and makes every
// decision; the others wait for what it asks of them, take part in it, and report what they
// saw. How frames and parcels travel is behind an interface, so that MPI is needed only
// where it is used.
package cluster

import (
	"context"
	"errors"
	"fmt"
)

// Net is what carries frames and parcels between the ranks of a job. Frames are short and
// go between goroutines; parcels are what devices send each other. Calls may come from
// several goroutines.
type Net interface {
	Rank() int
	Size() int
	// Name is what the transport of parcels is called, such as mpi.
	Name() string
	// Send queues a frame: it neither blocks nor keeps the bytes. Frames between two ranks
	// stay in order.
	Send(to int, frame []byte) error
	// Receive returns the next frame, if one has arrived.
	Receive() (from int, frame []byte, ok bool, err error)
	// Ping times n round trips to a rank that is in Pong, on CLOCK_MONOTONIC_RAW: when each
	// began, what the other's clock said, when it was over. Both give up after some
	// nanoseconds.
	Ping(to, n int, most int64) (began, there, over []int64, err error)
	Pong(from, n int, most int64) error
	// Engine opens what carries the parcels of one launch; the ranks that take part open
	// the same channel.
	Engine(channel int) (Engine, error)
}

// Engine is a vk.CopyEngine of parcels whose words are lane<<32 + rank<<1, and 1 more to send.
// Parcels between two ranks stay in order within a lane, of which there are Lanes at most.
type Engine interface {
	Functions() (start, poll, context uintptr)
	Explain(code int32) error
	// Stop gives up what is under way and what is started later.
	Stop()
	Close() error
}

// Lanes is how many devices of one rank can send in one launch.
const Lanes = 64

// ErrRankLost is what a rank causes that has not been heard of for too long.
var ErrRankLost = errors.New("rank lost")

// ErrAborted is what the others report when one rank has failed.
var ErrAborted = errors.New("given up because another rank failed")

// RankError is an error of another rank.
type RankError struct {
	Rank int
	Node string
	Err  error
}

func (e *RankError) Error() string { return fmt.Sprintf("rank %d on %s: %v", e.Rank, e.Node, e.Err) }

// Unwrap returns what happened there.
func (e *RankError) Unwrap() error { return e.Err }

// cause is the reason that a context ended for, else its error.
func cause(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return ctx.Err()
}
