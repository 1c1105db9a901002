// Recording of command buffers from a flat list, and single submissions.
#include "raw.h"

#include <string.h>

static VkPipelineStageFlags2 stages(uint64_t bits) {
    VkPipelineStageFlags2 s = 0;
    if (bits & RAW_STAGE_COMPUTE) s |= VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    if (bits & RAW_STAGE_TRANSFER) s |= VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
    if (bits & RAW_STAGE_HOST) s |= VK_PIPELINE_STAGE_2_HOST_BIT;
    return s;
}

static VkAccessFlags2 writes(uint64_t bits) {
    VkAccessFlags2 a = 0;
    if (bits & RAW_STAGE_COMPUTE) a |= VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
    if (bits & RAW_STAGE_TRANSFER) a |= VK_ACCESS_2_TRANSFER_WRITE_BIT;
    if (bits & RAW_STAGE_HOST) a |= VK_ACCESS_2_HOST_WRITE_BIT;
    return a;
}

static VkAccessFlags2 accesses(uint64_t bits) {
    VkAccessFlags2 a = 0;
    if (bits & RAW_STAGE_COMPUTE) a |= VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
    if (bits & RAW_STAGE_TRANSFER) a |= VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
    if (bits & RAW_STAGE_HOST) a |= VK_ACCESS_2_HOST_READ_BIT | VK_ACCESS_2_HOST_WRITE_BIT;
    return a;
}

static const uint64_t *record_dispatch(raw_device *d, VkCommandBuffer c, const uint64_t *op, VkPipeline *bound) {
    VkPipeline pipeline = (VkPipeline)op[0];
    VkPipelineLayout layout = (VkPipelineLayout)op[1];
    VkDescriptorSet set = (VkDescriptorSet)op[2];
    uint64_t pushes = op[6];
    if (pipeline != *bound) {
        d->CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        *bound = pipeline;
    }
    d->CmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    if (pushes) d->CmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, (uint32_t)pushes * 4, op + 7);
    d->CmdDispatch(c, (uint32_t)op[3], (uint32_t)op[4], (uint32_t)op[5]);
    return op + 7 + (pushes + 1) / 2;
}

// Records into a command buffer; what it held is dropped.
int32_t raw_rerecord(raw_device *d, VkCommandBuffer c, const uint64_t *ops, uint64_t words) {
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkResult r = d->BeginCommandBuffer(c, &begin);
    VkPipeline bound = VK_NULL_HANDLE;
    const uint64_t *end = ops + words;
    while (r == VK_SUCCESS && ops < end) {
        switch (*ops++) {
        case RAW_DISPATCH:
            ops = record_dispatch(d, c, ops, &bound);
            break;
        case RAW_COPY: {
            VkBufferCopy region = {.srcOffset = ops[1], .dstOffset = ops[3], .size = ops[4]};
            d->CmdCopyBuffer(c, (VkBuffer)ops[0], (VkBuffer)ops[2], 1, &region);
            ops += 5;
            break;
        }
        case RAW_FILL:
            d->CmdFillBuffer(c, (VkBuffer)ops[0], ops[1], ops[2], (uint32_t)ops[3]);
            ops += 4;
            break;
        case RAW_BARRIER: {
            VkMemoryBarrier2 memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, .srcStageMask = stages(ops[0]), .srcAccessMask = writes(ops[0]),
                .dstStageMask = stages(ops[1]), .dstAccessMask = accesses(ops[1])};
            VkDependencyInfo dep = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &memory};
            d->CmdPipelineBarrier2(c, &dep);
            ops += 2;
            break;
        }
        case RAW_TIMESTAMP:
            d->CmdWriteTimestamp2(c, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, (VkQueryPool)ops[0], (uint32_t)ops[1]);
            ops += 2;
            break;
        default:
            r = VK_ERROR_UNKNOWN;
        }
    }
    return r == VK_SUCCESS ? d->EndCommandBuffer(c) : r;
}

int32_t raw_record(raw_device *d, const uint64_t *ops, uint64_t words, VkCommandBuffer *out) {
    VkCommandBufferAllocateInfo alloc = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = d->pool, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
    VkCommandBuffer c;
    VkResult r = d->AllocateCommandBuffers(d->handle, &alloc, &c);
    if (r != VK_SUCCESS) return r;
    r = raw_rerecord(d, c, ops, words);
    if (r != VK_SUCCESS) {
        d->FreeCommandBuffers(d->handle, d->pool, 1, &c);
        return r;
    }
    *out = c;
    return VK_SUCCESS;
}

void raw_commands_free(raw_device *d, VkCommandBuffer c) { d->FreeCommandBuffers(d->handle, d->pool, 1, &c); }

int32_t raw_submit(raw_device *d, VkCommandBuffer c) {
    VkCommandBufferSubmitInfo cb = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = c};
    VkSemaphoreSubmitInfo done = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, .semaphore = d->done, .value = d->done_value + 1, .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    VkSubmitInfo2 info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2, .commandBufferInfoCount = 1, .pCommandBufferInfos = &cb, .signalSemaphoreInfoCount = 1, .pSignalSemaphoreInfos = &done};
    VkResult r = d->QueueSubmit2(d->queue, 1, &info, VK_NULL_HANDLE);
    if (r == VK_SUCCESS) d->signalled = ++d->done_value;
    return r;
}

int32_t raw_wait_done(raw_device *d, uint64_t timeout_ns) {
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &d->done, .pValues = &d->done_value};
    return d->WaitSemaphores(d->handle, &info, timeout_ns);
}
