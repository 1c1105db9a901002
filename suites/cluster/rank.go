package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk"
)

// DefaultSilence is after which time a rank counts as lost that gives no sign of life.
const DefaultSilence = 30 * time.Second

// Description is what a rank tells of itself.
type Description struct {
	Rank    int
	Node    string // name of its machine
	PID     int
	Space   string // in which PID counts
	Host    result.Host
	Devices []result.Device // that it could use
	Infos   []vk.Info       // of these
	Problem string          // why it has none
	Code    int             // exit code of a command with this problem
	Hint    string          // what to do about it
}

// NoDeviceError says that a rank has no device to offer.
type NoDeviceError struct {
	Rank          int
	Node, Problem string
	Code          int    // exit code of a command with this problem alone; 0: none is known
	Hint          string // what to do next, may be empty
}

func (e *NoDeviceError) Error() string {
	return fmt.Sprintf("rank %d on %s has no device: %s", e.Rank, e.Node, e.Problem)
}

// patience is how many times the silence of a lost rank rank 0 waits for one that lives to end
// what was given up: a device ends what it was given, and a reference on the CPU is not cut short.
const patience = 10

// Rank is this process's part in a job.
type Rank struct {
	net     Net
	pump    *pump
	silence time.Duration
	limit   time.Duration // patience
	all     []Description // by rank
	own     [][]int       // by rank: which of its devices it owns
	lead    *lead         // of rank 0
}

// Join makes all ranks of a job known to each other and settles which devices each owns. All
// ranks call it at the same time.
func Join(ctx context.Context, net Net, d Description, silence time.Duration) (*Rank, error) {
	r := &Rank{net: net, pump: newPump(net, silence), silence: silence, limit: patience * silence, all: make([]Description, net.Size())}
	if err := r.meet(ctx, d); err != nil {
		r.pump.close()
		return nil, err
	}
	r.pump.mu.Lock()
	r.pump.rank = r
	r.pump.mu.Unlock()
	if net.Rank() == 0 {
		r.lead = newLead(r)
	}
	return r, nil
}

// greeting is what rank 0 answers.
type greeting struct {
	All   []Description
	Own   [][]int
	Wrong *wireError
}

func (r *Rank) meet(ctx context.Context, d Description) error {
	d.Rank, d.Space = r.net.Rank(), pidSpace()
	isHello := func(f frame) bool { return f.Kind == hello }
	if r.net.Rank() != 0 {
		body, err := encode(d)
		if err != nil {
			return err
		}
		if err := r.pump.send(0, frame{Kind: hello, Body: body}); err != nil {
			return err
		}
		f, err := r.pump.next(ctx, 0, isHello)
		if err != nil {
			return err
		}
		var g greeting
		if err := decode(f.Body, &g); err != nil {
			return err
		}
		r.all, r.own = g.All, g.Own
		return g.Wrong.unpack()
	}
	r.all[0] = d
	for other := 1; other < r.net.Size(); other++ {
		f, err := r.pump.next(ctx, other, isHello)
		if err != nil {
			return err
		}
		if err := decode(f.Body, &r.all[other]); err != nil {
			return err
		}
	}
	var err error
	r.own, err = assign(r.all)
	body, failed := encode(greeting{r.all, r.own, pack(err)})
	if failed != nil {
		return failed
	}
	for other := 1; other < r.net.Size(); other++ {
		if err := r.pump.send(other, frame{Kind: hello, Body: body}); err != nil {
			return err
		}
	}
	return err
}

// Number is the number of this rank.
func (r *Rank) Number() int { return r.net.Rank() }

// Leads says whether this is rank 0.
func (r *Rank) Leads() bool { return r.net.Rank() == 0 }

// Ranks describes all ranks.
func (r *Rank) Ranks() []Description { return r.all }

// Pool lists the devices of the job, rank by rank, with the rank of each. Adapters of this
// rank are those of the indexes its description had; the others are absent. All are
// numbered through, and say where they are.
func (r *Rank) Pool(own []*vk.Adapter) (adapters []*vk.Adapter, devices []result.Device, home []int) {
	for rank, list := range r.own {
		for _, i := range list {
			at := len(adapters)
			d, info := r.all[rank].Devices[i], r.all[rank].Infos[i]
			d.Index, info.Index = at, at
			d.Node, d.Rank = r.all[rank].Node, &rank
			if rank == r.net.Rank() {
				own[i].Renumber(at)
				adapters = append(adapters, own[i])
			} else {
				adapters = append(adapters, vk.Absent(info))
			}
			devices, home = append(devices, d), append(home, rank)
		}
	}
	return adapters, devices, home
}

// over waits for the end of what a rank was told to give up. One that lives and does not come to
// it, as in a call that a driver never returns from, is as good as lost.
func (r *Rank) over(rank int, wanted func(frame) bool) (frame, error) {
	ctx, cancel := context.WithTimeout(context.Background(), r.limit)
	defer cancel()
	f, err := r.pump.next(ctx, rank, wanted)
	if err == nil || ctx.Err() == nil {
		return f, err
	}
	r.pump.mu.Lock()
	defer r.pump.mu.Unlock()
	if r.pump.lost == nil {
		r.pump.fail(&RankError{Rank: rank, Node: r.all[rank].Node, Err: fmt.Errorf("%w: it lives and has not ended what it was to give up within %v", ErrRankLost, r.limit)})
	}
	return f, r.pump.lost
}

// Lost is the rank that was lost, if any.
func (r *Rank) Lost() error {
	r.pump.mu.Lock()
	defer r.pump.mu.Unlock()
	return r.pump.lost
}

// Until is a context that ends, with the reason, when a rank is lost.
func (r *Rank) Until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-r.pump.down:
			stop(r.Lost())
		case <-ctx.Done():
		}
	}()
	return ctx, func() { stop(nil) }
}

// Close ends the job: rank 0 lets the others go.
func (r *Rank) Close() {
	r.pump.mu.Lock()
	r.pump.leaving = true
	r.pump.mu.Unlock()
	if r.Leads() {
		for other := 1; other < r.net.Size(); other++ {
			_ = r.pump.send(other, frame{Kind: leave}) // who is gone needs no goodbye
		}
	}
	r.pump.close()
}
