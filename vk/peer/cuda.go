package peer

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer/internal/cuda"
)

// cudaTransport lets the copy engines of NVIDIA GPUs push from one GPU's memory
// into another's, over NVLink or PCIe. The buffers of its devices lie in memory
// that CUDA made, that their own Vulkan device imports and that their peers reach.
// CUDA only copies: the conductor starts the copies when the Vulkan work before
// them is done, and polls them before it lets the work after them start.
type cudaTransport struct {
	team    []*vk.Device
	ends    []*cudaEnd // by device; nil: not one of CUDA's
	cannot  []error    // by device: why not
	reaches [][]bool   // [from][to]
}

// cudaEnd is one device as CUDA knows it.
type cudaEnd struct {
	device *cuda.Device
	peers  []*cuda.Device // that reach its memory
	stream *cuda.Stream
	engine *vk.CopyEngine
	blocks []lentBlock // that exist
}

// lentBlock is a block of a device's memory, with a number that no other of this process has.
type lentBlock struct {
	id     uint64
	memory *cuda.Memory
}

var blockNumber atomic.Uint64

const nvidia = 0x10de

// newCUDA finds the devices in CUDA and gives those with a peer memory of CUDA's.
func newCUDA(team []*vk.Device) (Transport, error) {
	meant := 0
	uuids := make([][16]byte, len(team))
	for i, d := range team {
		uuid, is := cudaUUID(d.Info())
		if uuids[i] = d.Info().UUID; is {
			uuids[i] = uuid
			meant++
		}
	}
	if meant < 2 {
		return nil, notMeant(fmt.Sprintf("it copies between NVIDIA GPUs, and the team has %d", meant))
	}
	lib, err := cuda.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", vk.ErrUnsupported, err)
	}
	return connectCUDA(lib, team, uuids, func(_ int, e *cudaEnd) vk.BlockSource { return e })
}

// connectCUDA makes the transport for devices that CUDA knows by uuids and that
// take their memory from source.
func connectCUDA(lib *cuda.Library, team []*vk.Device, uuids [][16]byte, source func(i int, e *cudaEnd) vk.BlockSource) (Transport, error) {
	t := &cudaTransport{team: team, ends: make([]*cudaEnd, len(team)), cannot: make([]error, len(team)), reaches: make([][]bool, len(team))}
	for i, d := range team {
		t.reaches[i] = make([]bool, len(team))
		c, err := lib.Device(uuids[i])
		if err != nil {
			t.cannot[i] = fmt.Errorf("device %d (%s): %w", d.Info().Index, d.Info().Name, err)
			continue
		}
		t.ends[i] = &cudaEnd{device: c}
	}
	linked, err := t.link()
	if err == nil && !linked {
		err = fmt.Errorf("no two of these devices reach each other's memory: %w", lacking(errors.Join(t.cannot...)))
	}
	if err == nil {
		err = t.start(source)
	}
	if err != nil {
		return nil, errors.Join(failing(err), t.Close())
	}
	return t, nil
}

// DriverError is a call of a copy engine's driver that failed while links were made: it may
// work the next time.
type DriverError struct{ Err error }

func (e *DriverError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *DriverError) Unwrap() error { return e.Err }

// failing marks the error of a call of the driver; others stay as they are.
func failing(err error) error {
	var call *cuda.Error
	if errors.As(err, &call) {
		return &DriverError{err}
	}
	return err
}

// lacking is what this machine does not have, unless a call of the driver failed.
func lacking(err error) error {
	var call *cuda.Error
	if errors.As(err, &call) {
		return &DriverError{err}
	}
	return fmt.Errorf("%w: %w", vk.ErrUnsupported, err)
}

// link asks which devices reach which. A device without any peer is left alone.
func (t *cudaTransport) link() (linked bool, err error) {
	for i, a := range t.ends {
		for j, b := range t.ends {
			if i == j || a == nil || b == nil {
				continue
			}
			can, err := a.device.Reaches(b.device)
			if err != nil {
				return false, err
			}
			if can {
				t.reaches[i][j], linked = true, true
				b.peers = append(b.peers, a.device)
			}
		}
	}
	for i, e := range t.ends {
		if e != nil && len(e.peers) == 0 && !slices.Contains(t.reaches[i], true) {
			t.ends[i] = nil
			t.cannot[i] = fmt.Errorf("device %d (%s): no other device reaches its memory", t.team[i].Info().Index, t.team[i].Info().Name)
		}
	}
	return linked, nil
}

// start makes the streams and lets the devices' memory come from its source.
func (t *cudaTransport) start(source func(i int, e *cudaEnd) vk.BlockSource) (err error) {
	for i, e := range t.ends {
		if e == nil {
			continue
		}
		if err := e.open(); err != nil {
			return err
		}
		if err := t.team[i].SetSource(source(i, e)); err != nil {
			return err
		}
	}
	return nil
}

// open makes the stream of an end, which copies away from its device.
func (e *cudaEnd) open() (err error) {
	if e.stream, err = e.device.NewStream(); err != nil {
		return err
	}
	start, poll, context := e.stream.Engine()
	e.engine = &vk.CopyEngine{Name: "CUDA", Start: start, Poll: poll, Context: context, Explain: e.stream.Explain}
	return nil
}

// NewBlock makes memory of the device that its peers reach (vk.BlockSource).
func (e *cudaEnd) NewBlock(size uint64) (vk.Block, error) {
	m, fd, err := e.device.Alloc(size, e.peers)
	if errors.Is(err, cuda.ErrOutOfMemory) {
		err = fmt.Errorf("%w: %w", vk.ErrOutOfMemory, err)
	}
	if err != nil {
		return vk.Block{}, fmt.Errorf("CUDA memory of %d bytes: %w", size, err)
	}
	id := blockNumber.Add(1)
	e.blocks = append(e.blocks, lentBlock{id, m})
	return vk.Block{Fd: fd, Size: m.Size(), Address: m.Address(), Free: func() error {
		e.blocks = slices.DeleteFunc(e.blocks, func(b lentBlock) bool { return b.id == id })
		return m.Close()
	}}, nil
}

// cudaEnd is how CUDA knows a device of the team, where some link of it uses that; nil: not at
// all. Safe on nil.
func (r *Routes) cudaEnd(device int) *cudaEnd {
	if r == nil {
		return nil
	}
	for _, t := range r.transports {
		if l, ok := t.(lossy); ok {
			t = l.Transport
		}
		if c, ok := t.(*cudaTransport); ok {
			return c.ends[device]
		}
	}
	return nil
}

func (t *cudaTransport) Name() string { return CUDA }

func (t *cudaTransport) Carries(from, to int) error {
	if err := errors.Join(t.cannot[from], t.cannot[to]); err != nil {
		return lacking(err)
	}
	if !t.reaches[from][to] {
		return fmt.Errorf("%w: the driver gives device %d no access to the memory of device %d", vk.ErrUnsupported, t.team[from].Info().Index, t.team[to].Info().Index)
	}
	return nil
}

// Rounds pushes everything in one round. Two senders to one receiver share its link:
// who lists the moves sees to it that all devices send to different ones at a time.
func (t *cudaTransport) Rounds(moves []Move, parity int) ([]Round, int, error) {
	moves = slices.DeleteFunc(slices.Clone(moves), func(m Move) bool { return m.Size == 0 })
	if len(moves) == 0 {
		return nil, parity, nil
	}
	r := newRound(len(t.team))
	for _, m := range moves {
		if err := t.Carries(m.From, m.To); err != nil {
			return nil, parity, err
		}
		if m.Src.Address() == 0 || m.Dst.Address() == 0 {
			return nil, parity, fmt.Errorf("transport %s: a buffer that was made before the transport cannot be copied %d -> %d", CUDA, m.From, m.To)
		}
		r.Peers = append(r.Peers, vk.PeerCopy{Engine: t.ends[m.From].engine, From: m.From, To: m.To, Src: m.Src, Dst: m.Dst, SrcOff: m.SrcOff, DstOff: m.DstOff, Size: m.Size, Early: m.Early})
	}
	return []Round{r}, parity, nil
}

// Close destroys the streams. Buffers keep their memory until they are closed.
func (t *cudaTransport) Close() error {
	var errs []error
	for i, e := range t.ends {
		if e == nil {
			continue
		}
		errs = append(errs, t.team[i].SetSource(nil))
		if e.stream != nil {
			errs = append(errs, e.stream.Close())
		}
	}
	clear(t.ends)
	return errors.Join(errs...)
}
