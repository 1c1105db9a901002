package raw

/*
#include "raw.h"

// Go has addresses, not C function pointers.
static int raw_schedule_peers_at(raw_schedule *s, uint32_t phase, uintptr_t start, uintptr_t poll, uintptr_t context,
                                 uint32_t device, uint64_t mask, uint64_t touched, const uint64_t *copies, uint32_t n) {
    raw_engine e = {(int32_t (*)(void *, const uint64_t *, uint32_t))start, (int32_t (*)(void *))poll, (void *)context, device};
    return raw_schedule_peers(s, phase, &e, mask, touched, copies, n);
}
*/
import "C"

import "unsafe"

// Schedule is a prepared sample; see schedule.c.
type Schedule struct {
	c         *C.raw_schedule
	n, phases int
}

// HostCopy is one memcpy between phases; both ends are C memory.
type HostCopy struct {
	Dst, Src unsafe.Pointer
	Size     uint64
}

// NewSchedule prepares a schedule. lanes are the queues, first the team's devices, then
// second queues. counts holds the submissions of each lane, phase by phase, tails how many
// of them the phase does not wait for; commands their command buffers in that order;
// copies those of each phase. nil: out of host memory.
func NewSchedule(lanes []*Device, team, phases int, counts, tails []uint32, commands []uint64, copies [][]HostCopy, blocking bool) *Schedule {
	devs := make([]*C.raw_device, len(lanes))
	for i, d := range lanes {
		devs[i] = d.c
	}
	copyCounts := make([]uint32, phases+1)
	for i, c := range copies {
		copyCounts[i] = uint32(len(c))
	}
	commands = append(commands, 0) // never empty
	b := C.int(0)
	if blocking {
		b = 1
	}
	s := C.raw_schedule_new(&devs[0], C.uint32_t(len(lanes)), C.uint32_t(team), C.uint32_t(phases),
		(*C.uint32_t)(unsafe.Pointer(&counts[0])), (*C.uint32_t)(unsafe.Pointer(&tails[0])), (*C.uint64_t)(unsafe.Pointer(&commands[0])),
		(*C.uint32_t)(unsafe.Pointer(&copyCounts[0])), b)
	if s == nil {
		return nil
	}
	i := C.uint32_t(0)
	for _, list := range copies {
		for _, c := range list {
			C.raw_schedule_copy(s, i, c.Dst, c.Src, C.uint64_t(c.Size))
			i++
		}
	}
	return &Schedule{s, len(lanes), phases}
}

// Engine is a copy engine outside Vulkan: addresses of C functions and of what
// they work on; see raw_engine in raw.h. Device is its place in the team.
type Engine struct {
	Start, Poll, Context uintptr
	Device               int
}

// AddPeers adds the copies of one engine, triples (dst, src, size), to a phase;
// they start when the lanes of mask are through it and use memory of the devices touched.
// Phases come in order. false: out of host memory.
func (s *Schedule) AddPeers(phase int, e Engine, mask, touched uint64, copies []uint64) bool {
	return C.raw_schedule_peers_at(s.c, C.uint32_t(phase), C.uintptr_t(e.Start), C.uintptr_t(e.Poll), C.uintptr_t(e.Context), C.uint32_t(e.Device),
		C.uint64_t(mask), C.uint64_t(touched), (*C.uint64_t)(unsafe.Pointer(&copies[0])), C.uint32_t(len(copies)/3)) != 0
}

// Hire has the copies of each engine started by a thread of its own and returns how many
// threads there are: none for a single engine.
func (s *Schedule) Hire() int { return int(C.raw_schedule_hire(s.c)) }

// Calls that can fail in a run. The codes of the last two are the engine's.
const (
	PeerStart = "the start of a peer copy"
	PeerPoll  = "a peer copy"
	// Barrier is the wait of a team for its last device.
	Barrier = "barrier"
)

var scheduleCalls = []string{"", "vkQueueSubmit2", "vkWaitSemaphores", "vkSignalSemaphore", "vkGetSemaphoreCounterValue", PeerStart, PeerPoll, Barrier}

// Failure is where a run ended: Lane is the failing one or -1, Call the Vulkan call,
// Phase the one in progress. Stuck are the lanes whose work is still under way.
type Failure struct {
	Result int32
	Lane   int
	Call   string
	Phase  int
	Stuck  []bool
}

// Limits bounds, in nanoseconds, how long a device may take for one phase (0: any
// time) and how long a failing run waits for what was queued (0: 10 s).
func (s *Schedule) Limits(barrier, drain int64) {
	C.raw_schedule_limits(s.c, C.int64_t(barrier), C.int64_t(drain))
}

// OpenAt sets the time before which the gate of the runs that follow does not open,
// nanoseconds of CLOCK_MONOTONIC_RAW; 0: none.
func (s *Schedule) OpenAt(at int64) { C.raw_schedule_gate(s.c, C.int64_t(at)) }

// Remote says that peers wait for other processes.
func (s *Schedule) Remote() { C.raw_schedule_remote(s.c) }

// Run drives one sample; nil: it went well. timeout in nanoseconds, negative: none.
func (s *Schedule) Run(timeout int64) *Failure {
	r := C.raw_schedule_run(s.c, C.int64_t(timeout))
	if r == 0 {
		return nil
	}
	t := C.raw_schedule_timing(s.c)
	out := &Failure{Result: int32(r), Lane: int(t.failed_device), Call: scheduleCalls[t.failed_call], Phase: int(t.failed_phase), Stuck: make([]bool, s.n)}
	for i, stuck := range unsafe.Slice((*uint8)(unsafe.Pointer(t.stuck)), s.n) {
		out.Stuck[i] = stuck != 0
	}
	return out
}

// Cancel makes a running Run return VK_TIMEOUT soon. Safe from any goroutine.
func (s *Schedule) Cancel() { C.raw_schedule_cancel(s.c, 1) }

// Uncancel makes the schedule usable again.
func (s *Schedule) Uncancel() { C.raw_schedule_cancel(s.c, 0) }

// Timing copies the times of the last run (nanoseconds, CLOCK_MONOTONIC_RAW).
func (s *Schedule) Timing(signalled, done, phaseDone, phaseMoved, phaseCopied []int64) (opened int64) {
	t := C.raw_schedule_timing(s.c)
	copy(signalled, unsafe.Slice((*int64)(unsafe.Pointer(t.signalled)), s.n))
	copy(done, unsafe.Slice((*int64)(unsafe.Pointer(t.done)), s.n))
	copy(phaseDone, unsafe.Slice((*int64)(unsafe.Pointer(t.phase_done)), s.phases))
	copy(phaseMoved, unsafe.Slice((*int64)(unsafe.Pointer(t.phase_moved)), s.phases))
	copy(phaseCopied, unsafe.Slice((*int64)(unsafe.Pointer(t.phase_copied)), s.phases))
	return int64(t.opened)
}

// Free frees the schedule.
func (s *Schedule) Free() { C.raw_schedule_free(s.c) }

// Now is CLOCK_MONOTONIC_RAW in nanoseconds.
func Now() int64 { return int64(C.raw_now()) }
