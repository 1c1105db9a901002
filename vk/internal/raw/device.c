// A device with its queues, memory, buffers, kernels and descriptor sets.
#include "fault.h"
#include "info.h"
#include "matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static VkResult timeline(raw_device *d, VkSemaphore *out) {
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    return d->CreateSemaphore(d->handle, &info, NULL, out);
}

// Whether the device's clock can be read together with one of the host's, and
// which: the raw one of all other times here, else the adjusted one.
static int calibrateable(raw_instance *in, VkPhysicalDevice p, VkTimeDomainEXT *host) {
    PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT ask = in->GetPhysicalDeviceCalibrateableTimeDomainsEXT;
    if (!raw_has_extension(in, p, "VK_EXT_calibrated_timestamps"))
        ask = (PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT)in->GetInstanceProcAddr(in->handle, "vkGetPhysicalDeviceCalibrateableTimeDomainsKHR");
    VkTimeDomainEXT domains[16];
    uint32_t n = sizeof domains / sizeof domains[0];
    int device = 0, raw = 0, adjusted = 0;
    if (!ask || ask(p, &n, domains) < 0) return 0;
    for (uint32_t i = 0; i < n; i++) {
        device |= domains[i] == VK_TIME_DOMAIN_DEVICE_EXT;
        raw |= domains[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT;
        adjusted |= domains[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
    }
    *host = raw ? VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT : VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
    return device && (raw || adjusted);
}

// Switches on what a kernel asked for; everything else optional stays off, as
// drivers may compile for what is on.
static void on_request(uint32_t bits, VkPhysicalDeviceFeatures *f, VkPhysicalDeviceVulkan11Features *v11,
                       VkPhysicalDeviceVulkan12Features *v12, VkPhysicalDeviceVulkan13Features *v13) {
    f->shaderFloat64 = (bits & RAW_FEATURE_FLOAT64) != 0;
    f->shaderInt16 = (bits & RAW_FEATURE_INT16) != 0;
    f->shaderInt64 = (bits & RAW_FEATURE_INT64) != 0;
    v11->storageBuffer16BitAccess = (bits & RAW_FEATURE_STORAGE16) != 0;
    v12->shaderFloat16 = (bits & RAW_FEATURE_FLOAT16) != 0;
    v12->shaderInt8 = (bits & RAW_FEATURE_INT8) != 0;
    v12->storageBuffer8BitAccess = (bits & RAW_FEATURE_STORAGE8) != 0;
    v12->vulkanMemoryModel = (bits & RAW_FEATURE_VULKAN_MEMORY_MODEL) != 0;
    v13->shaderIntegerDotProduct = (bits & RAW_FEATURE_INTEGER_DOT_PRODUCT) != 0;
}

// What a lane of a schedule needs besides the device: queue, pool and timelines.
static VkResult lane(raw_device *d) {
    d->GetDeviceQueue(d->handle, d->family, 0, &d->queue);
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, .queueFamilyIndex = d->family};
    VkResult r = d->CreateCommandPool(d->handle, &pool, NULL, &d->pool);
    if (r == VK_SUCCESS) r = timeline(d, &d->go);
    if (r == VK_SUCCESS) r = timeline(d, &d->done);
    return r;
}

// The device once more for its second queue.
static VkResult second(raw_device *d, uint32_t family) {
    raw_device *b = malloc(sizeof *b);
    if (!b) return VK_ERROR_OUT_OF_HOST_MEMORY;
    *b = *d;
    b->pool = VK_NULL_HANDLE;
    b->go = b->done = VK_NULL_HANDLE;
    b->go_value = b->done_value = b->signalled = 0;
    b->family = family;
    d->beside = b;
    return lane(b);
}

static void lane_close(raw_device *d) {
    if (d->DestroySemaphore) {
        d->DestroySemaphore(d->handle, d->go, NULL);
        d->DestroySemaphore(d->handle, d->done, NULL);
    }
    if (d->DestroyCommandPool) d->DestroyCommandPool(d->handle, d->pool, NULL);
}

int32_t raw_device_open(raw_instance *in, VkPhysicalDevice p, uint32_t family, uint32_t beside, uint32_t features, raw_device **out, char *text, size_t text_size) {
    raw_device *d = calloc(1, sizeof *d);
    if (!d) return VK_ERROR_OUT_OF_HOST_MEMORY;
    d->instance = in;
    d->physical = p;
    d->family = family;

    const char *extensions[9];
    uint32_t n = 0;
    int host = raw_has_extension(in, p, "VK_EXT_external_memory_host");
    if (host) extensions[n++] = "VK_EXT_external_memory_host";
    int fd = raw_has_extension(in, p, "VK_KHR_external_memory_fd");
    if (fd) extensions[n++] = "VK_KHR_external_memory_fd";
    int dma_buf = fd && raw_has_extension(in, p, "VK_EXT_external_memory_dma_buf");
    if (dma_buf) extensions[n++] = "VK_EXT_external_memory_dma_buf";
    int khr = raw_has_extension(in, p, "VK_KHR_calibrated_timestamps");
    int ext = raw_has_extension(in, p, "VK_EXT_calibrated_timestamps");
    if (ext) extensions[n++] = "VK_EXT_calibrated_timestamps";
    else if (khr) extensions[n++] = "VK_KHR_calibrated_timestamps";

    VkPhysicalDeviceVulkan13Features have13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features have12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &have13};
    VkPhysicalDeviceFeatures2 have = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &have12};
    if (in->GetPhysicalDeviceFeatures2) in->GetPhysicalDeviceFeatures2(p, &have);
    if (!have12.timelineSemaphore || !have12.hostQueryReset || !have13.synchronization2 || !have13.maintenance4) {
        snprintf(text, text_size, "the driver lacks%s%s%s%s", have12.timelineSemaphore ? "" : " timelineSemaphore",
                 have12.hostQueryReset ? "" : " hostQueryReset", have13.synchronization2 ? "" : " synchronization2",
                 have13.maintenance4 ? "" : " maintenance4");
        free(d);
        return VK_ERROR_FEATURE_NOT_PRESENT;
    }
    VkPhysicalDeviceVulkan13Features want13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .synchronization2 = VK_TRUE, .maintenance4 = VK_TRUE,
        .subgroupSizeControl = have13.subgroupSizeControl, .computeFullSubgroups = have13.computeFullSubgroups};
    VkPhysicalDeviceVulkan12Features want12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &want13,
        .timelineSemaphore = VK_TRUE, .hostQueryReset = VK_TRUE};
    VkPhysicalDeviceVulkan11Features want11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &want12};
    VkPhysicalDeviceFeatures2 want = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &want11};
    on_request(features, &want.features, &want11, &want12, &want13);
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR, .cooperativeMatrix = VK_TRUE};
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV matrix2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV,
        .cooperativeMatrixWorkgroupScope = VK_TRUE, .cooperativeMatrixFlexibleDimensions = VK_TRUE, .cooperativeMatrixTensorAddressing = VK_TRUE};
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR,
        .shaderBFloat16Type = VK_TRUE, .shaderBFloat16CooperativeMatrix = (features & RAW_FEATURE_BFLOAT16_MATRIX) != 0};
    if (features & (RAW_FEATURE_COOPERATIVE_MATRIX | RAW_FEATURE_COOPERATIVE_MATRIX2)) {
        extensions[n++] = "VK_KHR_cooperative_matrix";
        matrix.pNext = want.pNext;
        want.pNext = &matrix;
    }
    if (features & RAW_FEATURE_COOPERATIVE_MATRIX2) {
        extensions[n++] = "VK_NV_cooperative_matrix2";
        matrix2.pNext = want.pNext;
        want.pNext = &matrix2;
    }
    if (features & (RAW_FEATURE_BFLOAT16 | RAW_FEATURE_BFLOAT16_MATRIX)) {
        extensions[n++] = "VK_KHR_shader_bfloat16";
        bfloat.pNext = want.pNext;
        want.pNext = &bfloat;
    }
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queues[2] = {
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family, .queueCount = 1, .pQueuePriorities = &priority},
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = beside, .queueCount = 1, .pQueuePriorities = &priority}};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &want, .queueCreateInfoCount = beside == family ? 1 : 2, .pQueueCreateInfos = queues,
        .enabledExtensionCount = n, .ppEnabledExtensionNames = extensions};
    VkResult result = in->CreateDevice(p, &info, NULL, &d->handle);
    if (result != VK_SUCCESS) {
        free(d);
        return result;
    }
#define LOAD(name) d->name = (PFN_vk##name)in->GetDeviceProcAddr(d->handle, "vk" #name);
    RAW_DEVICE_FUNCTIONS(LOAD, LOAD)
#undef LOAD
    if (!d->GetCalibratedTimestampsEXT && khr)
        d->GetCalibratedTimestampsEXT = (PFN_vkGetCalibratedTimestampsEXT)in->GetDeviceProcAddr(d->handle, "vkGetCalibratedTimestampsKHR");
    raw_fault_install(d);
#define NEED(name)                                                        \
    if (!d->name) {                                                       \
        snprintf(text, text_size, "the driver offers no vk%s", #name);    \
        result = VK_ERROR_FEATURE_NOT_PRESENT;                            \
    }
#define SKIP(name)
    RAW_DEVICE_FUNCTIONS(NEED, SKIP)
#undef NEED
#undef SKIP
    d->has_host_import = host && d->GetMemoryHostPointerPropertiesEXT != NULL;
    d->has_fd = fd && d->GetMemoryFdKHR != NULL;
    d->has_dma_buf = dma_buf && d->has_fd && d->GetMemoryFdPropertiesKHR != NULL;
    d->has_calibration = d->GetCalibratedTimestampsEXT != NULL && calibrateable(in, p, &d->host_clock);
    if (result == VK_SUCCESS) result = lane(d);
    if (result == VK_SUCCESS) result = second(d, beside);
    if (result != VK_SUCCESS) {
        raw_device_close(d);
        return result;
    }
    *out = d;
    return VK_SUCCESS;
}

void raw_device_close(raw_device *d) {
    if (!d) return;
    if (d->beside) lane_close(d->beside);
    free(d->beside);
    lane_close(d);
    if (d->DestroyDevice) d->DestroyDevice(d->handle, NULL);
    free(d);
}

// Waits until the last value that a queue was told to signal is reached.
static VkResult lane_idle(raw_device *d, uint64_t timeout_ns) {
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &d->done, .pValues = &d->signalled};
    return d->WaitSemaphores(d->handle, &info, timeout_ns);
}

int32_t raw_wait_idle(raw_device *d, uint64_t timeout_ns) {
    int64_t deadline = raw_now() + (int64_t)timeout_ns;
    VkResult r = lane_idle(d, timeout_ns);
    if (r != VK_SUCCESS || !d->beside) return r;
    int64_t left = deadline - raw_now();
    return lane_idle(d->beside, left > 0 ? (uint64_t)left : 0);
}

int32_t raw_queries(raw_device *d, uint32_t n, VkQueryPool *out) {
    VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = n};
    VkResult r = d->CreateQueryPool(d->handle, &info, NULL, out);
    if (r == VK_SUCCESS) d->ResetQueryPool(d->handle, *out, 0, n);
    return r;
}

void raw_queries_free(raw_device *d, VkQueryPool p) { d->DestroyQueryPool(d->handle, p, NULL); }

void raw_queries_reset(raw_device *d, VkQueryPool p, uint32_t n) { d->ResetQueryPool(d->handle, p, 0, n); }

// Reads n timestamps into out; available[i] is 0 where the query was not written.
// Both arrays have room for n values.
int32_t raw_queries_read(raw_device *d, VkQueryPool p, uint32_t n, uint64_t *out, uint64_t *available) {
    uint64_t *both = malloc((size_t)n * 2 * sizeof *both);
    if (!both) return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult r = d->GetQueryPoolResults(d->handle, p, 0, n, (size_t)n * 2 * sizeof *both, both, 2 * sizeof *both,
                                        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = both[2 * i];
        available[i] = both[2 * i + 1];
    }
    free(both);
    return r == VK_NOT_READY ? VK_SUCCESS : r;
}

static int64_t adjusted_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// Reads the device's clock and the raw host clock together. A driver that only
// reads the adjusted one has it converted at once, and the conversion's doubt
// added to the deviation.
int32_t raw_calibrate(raw_device *d, uint64_t *device_ticks, uint64_t *host_ns, uint64_t *deviation) {
    if (!d->has_calibration) return VK_ERROR_EXTENSION_NOT_PRESENT;
    VkCalibratedTimestampInfoEXT info[2] = {
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, .timeDomain = VK_TIME_DOMAIN_DEVICE_EXT},
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, .timeDomain = d->host_clock}};
    uint64_t values[2];
    VkResult r = d->GetCalibratedTimestampsEXT(d->handle, 2, info, values, deviation);
    if (r == VK_SUCCESS && d->host_clock != VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT) {
        int64_t before = raw_now(), adjusted = adjusted_now(), after = raw_now();
        values[1] += (uint64_t)(before + (after - before) / 2 - adjusted);
        *deviation += (uint64_t)(after - before);
    }
    *device_ticks = values[0];
    *host_ns = values[1];
    return r;
}
