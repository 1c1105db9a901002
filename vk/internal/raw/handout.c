// Work handed out while devices run: batches of command buffers submitted one by one by
// the thread of their device, behind a gate that all devices share.
#include "handout.h"

// Submits n command buffers as one batch behind the last opening of the gate or, gated,
// behind the next one. *ticket is what raw_hand_wait waits for.
int32_t raw_hand(raw_device *d, const uint64_t *commands, uint32_t n, int gated, uint64_t *ticket) {
    VkCommandBufferSubmitInfo cbs[RAW_HAND_MOST];
    if (n > RAW_HAND_MOST) return VK_ERROR_UNKNOWN;
    for (uint32_t i = 0; i < n; i++) cbs[i] = (VkCommandBufferSubmitInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = (VkCommandBuffer)(uintptr_t)commands[i]};
    VkSemaphoreSubmitInfo go = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = d->go, .value = d->go_value + (gated ? 1 : 0), .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    VkSemaphoreSubmitInfo done = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = d->done, .value = d->done_value + 1, .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    VkSubmitInfo2 info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2, .waitSemaphoreInfoCount = 1, .pWaitSemaphoreInfos = &go,
        .commandBufferInfoCount = n, .pCommandBufferInfos = cbs, .signalSemaphoreInfoCount = 1, .pSignalSemaphoreInfos = &done};
    VkResult r = d->QueueSubmit2(d->queue, 1, &info, VK_NULL_HANDLE);
    if (r == VK_SUCCESS) *ticket = d->signalled = ++d->done_value;
    return r;
}

// Waits for a batch, at most timeout_ns (VK_TIMEOUT); poll: without giving the core away.
int32_t raw_hand_wait(raw_device *d, uint64_t ticket, uint64_t timeout_ns, int poll) {
    if (!poll) {
        VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &d->done, .pValues = &ticket};
        return d->WaitSemaphores(d->handle, &info, timeout_ns);
    }
    int64_t deadline = raw_now() + (int64_t)timeout_ns;
    do {
        for (int i = 0; i < 64; i++) {
            uint64_t now = 0;
            VkResult r = d->GetSemaphoreCounterValue(d->handle, d->done, &now);
            if (r != VK_SUCCESS) return r;
            if (now >= ticket) return VK_SUCCESS;
        }
    } while (raw_now() < deadline);
    return VK_TIMEOUT;
}

// Opens the gate of all devices in a tight loop, also when one of them fails; that
// device is *failed, and told once more, so that what waits there can end. No device may be
// handed gated work meanwhile.
int32_t raw_gate(raw_device **d, uint32_t n, int64_t *opened, int64_t *signalled, uint32_t *failed) {
    VkResult first = VK_SUCCESS;
    *opened = raw_now();
    for (uint32_t i = 0; i < n; i++) {
        VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = d[i]->go, .value = d[i]->go_value + 1};
        VkResult r = d[i]->SignalSemaphore(d[i]->handle, &info);
        signalled[i] = raw_now();
        if (r != VK_SUCCESS) {
            if (first == VK_SUCCESS) first = r, *failed = i;
            r = d[i]->SignalSemaphore(d[i]->handle, &info);
        }
        if (r == VK_SUCCESS) d[i]->go_value++;
    }
    return first;
}
