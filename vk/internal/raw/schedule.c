// One sample of a team, driven from one thread: submit ahead, open the start
// gate on all devices, relay phase after phase, note when each device is done.
#include "peers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Phases submitted before the one that runs, where the host waits in its sleep: enough to
// hide the cost of a submit. A host that polls submits a phase when its turn comes: on NVIDIA
// GPUs a submission takes 4.4 us and a signal that lets a queued one start 8.6 us, one device
// after the other. So its start gate is the first submission too, unless that has more than
// PROMPT command buffers for a device, which all others would wait for.
enum { LOOK_AHEAD = 4, PROMPT = 2 };
// Batches in one call.
enum { SUBMITS = 8 };
// Slice of a blocking wait, so that a cancel is seen.
static const uint64_t SLICE_NS = 50000000;
// How long a host that waits in its sleep rests between two looks at peer copies.
enum { NAP_NS = 20000 };
// How long an error path waits for work that was already queued, unless told otherwise.
static const int64_t DRAIN_NS = 10000000000;

struct raw_schedule {
    raw_device **devices; // by lane
    uint32_t n, team, phases;
    uint32_t *first;      // by phase*n+lane: index of its first command buffer; one more at the end
    uint32_t *tails;      // by phase*n+lane: how many of the last ones come after the done signal
    VkCommandBuffer *commands;
    uint32_t *copy_first; // by phase, one more at the end
    raw_copy *copies;
    raw_peers *peers;
    int blocking;
    uint32_t ahead; // phases submitted before their turn; 0: not even the first one
    atomic_int cancelled;
    uint64_t *go_base, *done_base; // by lane, of the run in progress
    uint32_t *released, *queued;   // by lane: phases whose go was signalled, last phase whose done is queued
    uint8_t *stray;                // by lane: a batch was queued after that, with no done to wait for
    VkResult *drained;             // by lane, after an error
    uint8_t *pending;              // by lane, in the phase waited for
    int64_t barrier;               // most nanoseconds a device may take for one phase; 0: any
    int64_t drain;                 // most nanoseconds an error path waits for queued work
    int64_t gate;                  // the gate opens not before this time; 0: at once
    int remote;                    // some peers wait for other processes
    raw_timing timing;
};

int64_t raw_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Between two looks: a host that shares its cores with CPU drivers leaves them to these.
static void rest(const raw_schedule *s) {
    if (!s->blocking) {
        relax();
        return;
    }
    struct timespec nap = {.tv_nsec = NAP_NS};
    nanosleep(&nap, NULL);
}

raw_schedule *raw_schedule_new(raw_device **lanes, uint32_t n, uint32_t team, uint32_t phases, const uint32_t *counts, const uint32_t *tails,
                               const uint64_t *commands, const uint32_t *copy_counts, int blocking) {
    raw_schedule *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    uint32_t cells = n * phases, total = 0, copies = 0;
    for (uint32_t i = 0; i < cells; i++) total += counts[i];
    for (uint32_t i = 0; i < phases; i++) copies += copy_counts[i];
    s->n = n;
    s->team = team;
    s->phases = phases;
    s->blocking = blocking;
    s->ahead = blocking ? LOOK_AHEAD : 0;
    for (uint32_t i = 0; i < n && phases > 0; i++)
        if (counts[i] > PROMPT && s->ahead == 0) s->ahead = 1;
    s->drain = DRAIN_NS;
    s->devices = calloc(n, sizeof *s->devices);
    s->first = calloc((size_t)cells + 1, sizeof *s->first);
    s->tails = calloc((size_t)cells + 1, sizeof *s->tails);
    s->commands = calloc((size_t)total + 1, sizeof *s->commands);
    s->copy_first = calloc((size_t)phases + 1, sizeof *s->copy_first);
    s->copies = calloc((size_t)copies + 1, sizeof *s->copies);
    s->go_base = calloc(n, sizeof *s->go_base);
    s->done_base = calloc(n, sizeof *s->done_base);
    s->released = calloc(n, sizeof *s->released);
    s->queued = calloc(n, sizeof *s->queued);
    s->stray = calloc(n, sizeof *s->stray);
    s->pending = calloc(n, sizeof *s->pending);
    s->drained = calloc(n, sizeof *s->drained);
    s->timing.signalled = calloc(n, sizeof *s->timing.signalled);
    s->timing.done = calloc(n, sizeof *s->timing.done);
    s->timing.phase_done = calloc((size_t)phases + 1, sizeof *s->timing.phase_done);
    s->timing.phase_moved = calloc((size_t)phases + 1, sizeof *s->timing.phase_moved);
    s->timing.phase_copied = calloc((size_t)phases + 1, sizeof *s->timing.phase_copied);
    s->timing.stuck = calloc(n, sizeof *s->timing.stuck);
    s->peers = raw_peers_new();
    if (!s->devices || !s->first || !s->tails || !s->commands || !s->copy_first || !s->copies || !s->go_base || !s->done_base ||
        !s->released || !s->queued || !s->stray || !s->pending || !s->drained || !s->timing.signalled || !s->timing.done || !s->timing.phase_done ||
        !s->timing.phase_moved || !s->timing.phase_copied || !s->timing.stuck || !s->peers) {
        raw_schedule_free(s);
        return NULL;
    }
    memcpy(s->devices, lanes, n * sizeof *lanes);
    memcpy(s->tails, tails, cells * sizeof *tails);
    for (uint32_t i = 0, at = 0; i < cells; i++) {
        s->first[i] = at;
        at += counts[i];
        s->first[i + 1] = at;
    }
    for (uint32_t i = 0; i < total; i++) s->commands[i] = (VkCommandBuffer)commands[i];
    for (uint32_t i = 0; i < phases; i++) s->copy_first[i + 1] = s->copy_first[i] + copy_counts[i];
    return s;
}

void raw_schedule_copy(raw_schedule *s, uint32_t index, void *dst, const void *src, uint64_t size) {
    s->copies[index] = (raw_copy){dst, src, size};
}

int raw_schedule_peers(raw_schedule *s, uint32_t phase, const raw_engine *e, uint64_t mask, uint64_t touched, const uint64_t *copies, uint32_t n) {
    return raw_peers_add(s->peers, phase, e, mask, touched, copies, n);
}

uint32_t raw_schedule_hire(raw_schedule *s) { return raw_peers_hire(s->peers); }

void raw_schedule_free(raw_schedule *s) {
    if (!s) return;
    free(s->devices);
    free(s->first);
    free(s->tails);
    free(s->commands);
    free(s->copy_first);
    free(s->copies);
    free(s->go_base);
    free(s->done_base);
    free(s->released);
    free(s->queued);
    free(s->stray);
    free(s->pending);
    free(s->drained);
    free(s->timing.signalled);
    free(s->timing.done);
    free(s->timing.phase_done);
    free(s->timing.phase_moved);
    free(s->timing.phase_copied);
    free(s->timing.stuck);
    raw_peers_free(s->peers);
    free(s);
}

void raw_schedule_limits(raw_schedule *s, int64_t barrier_ns, int64_t drain_ns) {
    s->barrier = barrier_ns;
    if (drain_ns > 0) s->drain = drain_ns;
}

void raw_schedule_gate(raw_schedule *s, int64_t at_ns) { s->gate = at_ns; }

void raw_schedule_remote(raw_schedule *s) { s->remote = 1; }

void raw_schedule_cancel(raw_schedule *s, int on) { atomic_store(&s->cancelled, on); }

static int stopped(raw_schedule *s, int64_t deadline) { return atomic_load(&s->cancelled) || raw_now() > deadline; }

raw_timing *raw_schedule_timing(raw_schedule *s) { return &s->timing; }

static VkResult fail(raw_schedule *s, uint32_t device, int32_t call, VkResult r) {
    s->timing.failed_device = (int32_t)device;
    s->timing.failed_call = call;
    return r;
}

static uint32_t submissions(raw_schedule *s, uint32_t phase, uint32_t device) {
    uint32_t cell = phase * s->n + device;
    return s->first[cell + 1] - s->first[cell];
}

// Submits what a lane runs in a phase, in as few calls as there are SUBMITS of it. The
// first batch waits for the phase's go value unless the phase is released already; that
// holds back what is queued behind it as well. The last one before the tail signals done.
static VkResult submit_lane(raw_schedule *s, uint32_t phase, uint32_t lane, int waits) {
    raw_device *d = s->devices[lane];
    uint32_t cell = phase * s->n + lane, first = s->first[cell], end = s->first[cell + 1], last = end - s->tails[cell];
    VkSemaphoreSubmitInfo go = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = d->go, .value = s->go_base[lane] + phase + 1, .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    VkSemaphoreSubmitInfo done = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = d->done, .value = s->done_base[lane] + phase + 1, .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    for (uint32_t c = first; c < end;) {
        VkCommandBufferSubmitInfo buffers[SUBMITS];
        VkSubmitInfo2 infos[SUBMITS];
        uint32_t n = 0;
        for (; n < SUBMITS && c < end; n++, c++) {
            buffers[n] = (VkCommandBufferSubmitInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = s->commands[c]};
            infos[n] = (VkSubmitInfo2){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                .waitSemaphoreInfoCount = waits && c == first ? 1 : 0, .pWaitSemaphoreInfos = &go,
                .commandBufferInfoCount = 1, .pCommandBufferInfos = &buffers[n],
                .signalSemaphoreInfoCount = c + 1 == last ? 1 : 0, .pSignalSemaphoreInfos = &done};
        }
        VkResult r = d->QueueSubmit2(d->queue, n, infos, VK_NULL_HANDLE);
        if (r != VK_SUCCESS) return fail(s, lane, RAW_CALL_SUBMIT, r);
        if (c >= last) {
            s->queued[lane] = phase + 1;
            d->signalled = done.value;
        }
        s->stray[lane] = c != last;
    }
    return VK_SUCCESS;
}

// Submits one phase on all lanes.
static VkResult submit_phase(raw_schedule *s, uint32_t phase, int waits) {
    for (uint32_t i = 0; i < s->n; i++) {
        VkResult r = submit_lane(s, phase, i, waits);
        if (r != VK_SUCCESS) return r;
        if (phase == 0 && !waits) s->timing.signalled[i] = s->timing.done[i] = raw_now();
    }
    return VK_SUCCESS;
}

// Lets a device run its phases up to number value.
static VkResult signal_go(raw_schedule *s, uint32_t device, uint32_t value) {
    raw_device *d = s->devices[device];
    VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = d->go, .value = s->go_base[device] + value};
    VkResult r = d->SignalSemaphore(d->handle, &info);
    if (r != VK_SUCCESS) return fail(s, device, RAW_CALL_SIGNAL, r);
    s->released[device] = value;
    return VK_SUCCESS;
}

// Looks once whether a device reached a done value; sets *reached.
static VkResult look(raw_schedule *s, uint32_t device, uint64_t value, int *reached) {
    raw_device *d = s->devices[device];
    uint64_t target = s->done_base[device] + value;
    *reached = 0;
    if (!s->blocking) {
        uint64_t now = 0;
        VkResult r = d->GetSemaphoreCounterValue(d->handle, d->done, &now);
        if (r != VK_SUCCESS) return fail(s, device, RAW_CALL_COUNTER, r);
        *reached = now >= target;
        return VK_SUCCESS;
    }
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &d->done, .pValues = &target};
    VkResult r = d->WaitSemaphores(d->handle, &info, SLICE_NS);
    if (r == VK_TIMEOUT) return VK_SUCCESS;
    if (r != VK_SUCCESS) return fail(s, device, RAW_CALL_WAIT, r);
    *reached = 1;
    return VK_SUCCESS;
}

// Starts the peer copies that may start, and looks once at those under way.
static VkResult advance_peers(raw_schedule *s, uint64_t through, uint32_t *moving) {
    int32_t call = RAW_CALL_NONE;
    uint32_t device = 0;
    int32_t r = raw_peers_advance(s->peers, through, moving, &call, &device);
    return r == 0 ? VK_SUCCESS : fail(s, device, call, r);
}

// Submits ahead of the phase that runs: one phase a call, but never leaves the
// running one out.
static VkResult submit_ahead(raw_schedule *s, uint32_t phase, uint32_t *submitted) {
    while (s->ahead > 1 && *submitted < s->phases && *submitted <= phase + s->ahead) {
        VkResult r = submit_phase(s, *submitted, 1);
        if (r != VK_SUCCESS) return r;
        ++*submitted;
        if (*submitted > phase) break;
    }
    return VK_SUCCESS;
}

// Looks once at every device that is not through the phase yet.
static VkResult look_at_all(raw_schedule *s, uint32_t phase, uint32_t *left, uint64_t *through) {
    for (uint32_t i = 0; i < s->n; i++) {
        if (!s->pending[i]) continue;
        int reached;
        VkResult r = look(s, i, (uint64_t)phase + 1, &reached);
        if (r != VK_SUCCESS) return r;
        if (reached) {
            s->pending[i] = 0;
            s->timing.done[i] = raw_now();
            if (i < 64) *through |= UINT64_C(1) << i;
            if (--*left == 0) s->timing.phase_done[phase] = s->timing.done[i];
        }
    }
    return VK_SUCCESS;
}

// A device is not through the phase in time: the first of those that are not, else the first one
// whose copies are not.
static VkResult late(raw_schedule *s, uint32_t left) {
    uint32_t i = 0;
    if (left == 0 && raw_peers_late(s->peers, &i)) return fail(s, i, RAW_CALL_BARRIER, VK_TIMEOUT);
    while (i + 1 < s->n && !s->pending[i]) i++;
    return fail(s, i, RAW_CALL_BARRIER, VK_TIMEOUT);
}

// Waits until every device is through the phase and its peer copies are done;
// submits ahead meanwhile.
static VkResult wait_phase(raw_schedule *s, uint32_t phase, uint32_t *submitted, int64_t deadline) {
    uint32_t left = 0, moving = raw_peers_begin(s->peers, phase);
    int moves = moving > 0;
    uint64_t through = 0;
    int64_t barrier = s->barrier > 0 ? raw_now() + s->barrier : INT64_MAX;
    for (uint32_t i = 0; i < s->n; i++) {
        s->pending[i] = submissions(s, phase, i) > 0;
        left += s->pending[i];
        if (!s->pending[i] && i < 64) through |= UINT64_C(1) << i;
    }
    if (left == 0) s->timing.phase_done[phase] = raw_now();
    if (moves) { // early copies, before anything else takes time
        VkResult r = advance_peers(s, through, &moving);
        if (r != VK_SUCCESS) return r;
    }
    for (uint32_t spins = 0; left + moving > 0; spins++) {
        VkResult r = submit_ahead(s, phase, submitted);
        if (r == VK_SUCCESS) r = look_at_all(s, phase, &left, &through);
        if (r == VK_SUCCESS && moving > 0) r = advance_peers(s, through, &moving);
        if (r != VK_SUCCESS) return r;
        int blocked = s->blocking && left > 0; // looking took its time
        if (left + moving > 0 && (blocked || spins % 256 == 255)) {
            if (stopped(s, deadline)) return VK_TIMEOUT;
            uint32_t device; // what only waits for other processes waits for devices that have limits of their own
            if (raw_now() > barrier && (left > 0 || !s->remote || raw_peers_late(s->peers, &device))) return late(s, left);
        }
        if (left + moving > 0 && !blocked) rest(s);
    }
    s->timing.phase_moved[phase] = moves ? raw_now() : s->timing.phase_done[phase];
    for (uint32_t i = 0; moves && i < s->n; i++) s->timing.done[i] = s->timing.phase_moved[phase];
    return VK_SUCCESS;
}

// Waits until a lane is through a phase, no longer than the deadline.
static VkResult drain_phase(raw_schedule *s, uint32_t phase, uint32_t lane, int64_t deadline) {
    raw_device *d = s->devices[lane];
    if (phase >= s->queued[lane] || submissions(s, phase, lane) == 0) return VK_SUCCESS;
    uint64_t target = s->done_base[lane] + phase + 1;
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &d->done, .pValues = &target};
    VkResult r;
    do r = d->WaitSemaphores(d->handle, &info, SLICE_NS);
    while (r == VK_TIMEOUT && raw_now() < deadline);
    return r;
}

// Waits until a lane has nothing under way, no longer than the deadline: what signals,
// then what was queued behind it and signals nothing.
static VkResult drain_lane(raw_schedule *s, uint32_t lane, int64_t deadline) {
    raw_device *d = s->devices[lane];
    VkResult r = VK_SUCCESS;
    if (s->stray[lane]) {
        VkSemaphoreSubmitInfo done = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = d->done, .value = s->done_base[lane] + s->phases + 1, .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
        VkSubmitInfo2 info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2, .signalSemaphoreInfoCount = 1, .pSignalSemaphoreInfos = &done};
        r = d->QueueSubmit2(d->queue, 1, &info, VK_NULL_HANDLE);
        if (r != VK_SUCCESS) return r;
        d->signalled = done.value;
    }
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &d->done, .pValues = &d->signalled};
    do r = d->WaitSemaphores(d->handle, &info, SLICE_NS);
    while (r == VK_TIMEOUT && raw_now() < deadline);
    return r;
}

// After an error: release every phase that was queued, one by one, and wait for
// it, so that command buffers may be freed. Lanes may share a queue, in which a phase
// of one is behind the phase before of the other. The waits of a lost device fail at once.
static void drain(raw_schedule *s, uint32_t submitted) {
    int64_t deadline = raw_now() + s->drain;
    uint64_t touched;
    while (raw_peers_busy(s->peers, &touched) && raw_now() < deadline) relax();
    for (uint32_t i = 0; i < s->n; i++) s->drained[i] = VK_SUCCESS;
    // The phase whose submission failed may be queued on some devices.
    for (uint32_t phase = 0; phase <= submitted && phase < s->phases; phase++) {
        for (uint32_t i = 0; i < s->n; i++)
            if (s->drained[i] == VK_SUCCESS && phase >= s->released[i]) s->drained[i] = signal_go(s, i, phase + 1);
        for (uint32_t i = 0; i < s->n; i++)
            if (s->drained[i] == VK_SUCCESS) s->drained[i] = drain_phase(s, phase, i, deadline);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        VkResult r = s->drained[i];
        if ((s->stray[i] && r == VK_SUCCESS) || (r != VK_SUCCESS && r != VK_TIMEOUT && r != VK_ERROR_DEVICE_LOST)) r = drain_lane(s, i, deadline);
        // What may still run must not be freed under the device.
        s->timing.stuck[i] = (r != VK_SUCCESS && r != VK_ERROR_DEVICE_LOST) || (i < 64 && (touched & (UINT64_C(1) << i)) != 0);
    }
}

// Lets a phase run on all lanes: by submitting it, else by signals. For the first one that is the
// start gate.
static VkResult release(raw_schedule *s, uint32_t phase, uint32_t *submitted) {
    if (phase == *submitted) {
        ++*submitted;
        return submit_phase(s, phase, 0);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        // A signal takes its time: none where nothing waits for it, but for the gate.
        if (submissions(s, phase, i) == 0 && (phase > 0 || i >= s->team)) continue;
        VkResult r = signal_go(s, i, phase + 1);
        if (r != VK_SUCCESS) return r;
        if (phase == 0) s->timing.signalled[i] = s->timing.done[i] = raw_now();
    }
    return VK_SUCCESS;
}

// Waits until the time of the gate; nonzero: stopped meanwhile.
static int await_gate(raw_schedule *s, int64_t deadline) {
    for (int64_t left; (left = s->gate - raw_now()) > 0;) {
        if (stopped(s, deadline)) return 1;
        if (left > 4 * NAP_NS) rest(s);
        else relax();
    }
    return 0;
}

static VkResult run(raw_schedule *s, int64_t deadline, uint32_t *submitted) {
    VkResult r = VK_SUCCESS;
    while (r == VK_SUCCESS && *submitted < s->phases && *submitted < s->ahead) {
        r = submit_phase(s, *submitted, 1);
        if (r == VK_SUCCESS) ++*submitted;
    }
    if (r != VK_SUCCESS) return r;
    if (await_gate(s, deadline)) return VK_TIMEOUT;
    s->timing.opened = raw_now();
    for (uint32_t phase = 0; phase < s->phases; phase++) {
        s->timing.failed_phase = phase;
        if (stopped(s, deadline)) return VK_TIMEOUT;
        r = release(s, phase, submitted);
        if (r != VK_SUCCESS) return r;
        r = wait_phase(s, phase, submitted, deadline);
        if (r != VK_SUCCESS) return r;
        for (uint32_t c = s->copy_first[phase]; c < s->copy_first[phase + 1]; c++) memcpy(s->copies[c].dst, s->copies[c].src, s->copies[c].size);
        int copied = s->copy_first[phase] < s->copy_first[phase + 1];
        s->timing.phase_copied[phase] = copied ? raw_now() : s->timing.phase_moved[phase];
    }
    return VK_SUCCESS;
}

int32_t raw_schedule_run(raw_schedule *s, int64_t timeout_ns) {
    s->timing.failed_device = -1;
    s->timing.failed_call = RAW_CALL_NONE;
    s->timing.failed_phase = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        s->timing.stuck[i] = 0;
        s->go_base[i] = s->devices[i]->go_value;
        s->done_base[i] = s->devices[i]->done_value;
        s->released[i] = s->queued[i] = s->stray[i] = 0;
    }
    raw_peers_rewind(s->peers);
    uint32_t submitted = 0;
    VkResult r = run(s, timeout_ns < 0 ? INT64_MAX : raw_now() + timeout_ns, &submitted);
    if (r != VK_SUCCESS) {
        int32_t device = s->timing.failed_device, call = s->timing.failed_call;
        drain(s, submitted);
        s->timing.failed_device = device; // what failed first, not what failed after it
        s->timing.failed_call = call;
    }
    raw_peers_rest(s->peers);
    for (uint32_t i = 0; i < s->n; i++) {
        s->devices[i]->go_value += s->released[i];
        s->devices[i]->done_value += s->phases + (r != VK_SUCCESS); // drain may have signalled one more
    }
    return r;
}
