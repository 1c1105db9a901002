package raw

/*
#include <stdlib.h>
#include "fault.h"
*/
import "C"

import "unsafe"

// Fault makes calls fail on purpose; see fault.h.
type Fault struct {
	Call       string // a name such as vkQueueSubmit2; empty: none fails
	Site       uint64 // where it is called; 0: anywhere
	Nth, Times uint64
	Result     int32
	Log        string // file for what was called where; empty: none
}

// ArmFault puts the fault layer under the instance and the devices opened from now on.
func ArmFault(f Fault) {
	call, log := C.CString(f.Call), C.CString(f.Log)
	defer C.free(unsafe.Pointer(call))
	defer C.free(unsafe.Pointer(log))
	C.raw_fault_arm(call, C.uint64_t(f.Site), C.uint64_t(f.Nth), C.uint64_t(f.Times), C.int32_t(f.Result), log)
}

// DisarmFault takes the layer away from what is opened from now on.
func DisarmFault() { C.raw_fault_switch(0) }

// ReportFault writes the log, as closing the instance does; false: it could not be.
func ReportFault() bool { return C.raw_fault_report() != 0 }

// FaultMet counts the calls that the armed fault was meant for, failed or not, and those
// that failed.
func FaultMet() (seen, hits uint64) {
	var s, h C.uint64_t
	C.raw_fault_met(&s, &h)
	return uint64(s), uint64(h)
}

// MaxLog is how long the name of a log may be, in bytes.
const MaxLog = 1023

// FaultDevice restricts the fault to one physical device.
func FaultDevice(p Physical) { C.raw_fault_device(physical(p)) }

// KnownCall tells whether the layer can make this function fail.
func KnownCall(name string) bool {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return C.raw_fault_known(c) >= 0
}

// KnownCalls are the functions that the layer can make fail.
func KnownCalls() []string {
	var out []string
	for i := C.int32_t(0); ; i++ {
		name := C.raw_fault_name(i)
		if name == nil {
			return out
		}
		out = append(out, C.GoString(name))
	}
}
