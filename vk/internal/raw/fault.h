// Calls that fail on purpose, for tests of everything that follows a failure. Off
// unless armed: then no function table is touched and nothing is slower.
#ifndef AMGPU_FAULT_H
#define AMGPU_FAULT_H

#include "raw.h"

// Arms the layer for the devices opened from now on: from the nth call (from 1) of
// the named function at the call site on, times calls return result and do not reach
// the driver. site 0: calls anywhere count. Only devices of physical count, NULL: all.
// An unknown name fails nothing; VK_ERROR_DEVICE_LOST stays on the device that it hit.
// log is NULL or the file to which raw_close writes what was called where.
void raw_fault_arm(const char *call, uint64_t site, uint64_t nth, uint64_t times, int32_t result, const char *log);
void raw_fault_switch(int on);
void raw_fault_device(VkPhysicalDevice physical);
int32_t raw_fault_known(const char *call);
const char *raw_fault_name(int32_t call); // NULL: there are no more

// Put the layer between amgpu and the driver, if it is armed.
void raw_fault_instance(raw_instance *in);
void raw_fault_install(raw_device *d);
// How many calls the armed fault was meant for so far, failed or not, and how many failed.
void raw_fault_met(uint64_t *seen, uint64_t *hits);
// Writes the log, if there is to be one; 0: it could not be written.
int raw_fault_report(void);
#endif
