package raw

/*
#include "handout.h"
*/
import "C"

import "unsafe"

// HandMost is the most command buffers of one batch.
const HandMost = C.RAW_HAND_MOST

// Hand submits command buffers as one batch and returns the ticket to wait for; gated:
// they start when the gate opens next.
func (d *Device) Hand(commands []uint64, gated bool) (ticket uint64, code int32) {
	var first *C.uint64_t
	if len(commands) > 0 {
		first = (*C.uint64_t)(unsafe.Pointer(&commands[0]))
	}
	var out C.uint64_t
	r := C.raw_hand(d.c, first, C.uint32_t(len(commands)), flag(gated), &out)
	return uint64(out), int32(r)
}

// HandWait waits for a batch, at most timeout nanoseconds (result 2: VK_TIMEOUT).
func (d *Device) HandWait(ticket, timeout uint64, poll bool) int32 {
	return int32(C.raw_hand_wait(d.c, C.uint64_t(ticket), C.uint64_t(timeout), flag(poll)))
}

// OpenGate lets the gated work of all devices start. signalled, by device, is when each
// was told; failed is the device of the first error.
func OpenGate(devices []*Device, signalled []int64) (opened int64, failed int, code int32) {
	list := make([]*C.raw_device, len(devices))
	for i, d := range devices {
		list[i] = d.c
	}
	var at C.int64_t
	var who C.uint32_t
	r := C.raw_gate(&list[0], C.uint32_t(len(list)), &at, (*C.int64_t)(unsafe.Pointer(&signalled[0])), &who)
	return int64(at), int(who), int32(r)
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}
