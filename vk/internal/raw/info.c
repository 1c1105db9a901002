#include "info.h"
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

// chain puts a struct at the front of a pNext chain.
#define CHAIN(head, s) ((s).pNext = (head).pNext, (head).pNext = &(s))

static int has(const raw_info *i, const char *name) {
    for (uint32_t k = 0; k < i->extension_count; k++)
        if (strcmp(i->extensions[k].extensionName, name) == 0) return 1;
    return 0;
}

static int at_least(const raw_info *i, uint32_t minor) {
    return i->api >= VK_MAKE_API_VERSION(0, 1, minor, 0);
}

static void copy_limits(raw_info *i, const VkPhysicalDeviceLimits *l) {
    i->max_storage_range = l->maxStorageBufferRange;
    i->storage_align = l->minStorageBufferOffsetAlignment;
    i->atom_size = l->nonCoherentAtomSize;
    i->shared_memory = l->maxComputeSharedMemorySize;
    i->invocations = l->maxComputeWorkGroupInvocations;
    i->push_constants = l->maxPushConstantsSize;
    i->max_allocations = l->maxMemoryAllocationCount;
    memcpy(i->group_count, l->maxComputeWorkGroupCount, sizeof i->group_count);
    memcpy(i->group_size, l->maxComputeWorkGroupSize, sizeof i->group_size);
    i->set_storage_buffers = l->maxDescriptorSetStorageBuffers;
    i->stage_storage_buffers = l->maxPerStageDescriptorStorageBuffers;
    i->timestamp_period = l->timestampPeriod;
}

static void core(raw_instance *in, VkPhysicalDevice p, raw_info *i) {
    VkPhysicalDeviceProperties v;
    memset(&v, 0, sizeof v);
    in->GetPhysicalDeviceProperties(p, &v);
    memcpy(i->name, v.deviceName, sizeof i->name);
    i->name[sizeof i->name - 1] = 0;
    i->type = v.deviceType;
    i->vendor = v.vendorID;
    i->device = v.deviceID;
    i->api = v.apiVersion;
    i->driver_version = v.driverVersion;
    copy_limits(i, &v.limits);
}

static VkResult extensions(raw_instance *in, VkPhysicalDevice p, raw_info *i) {
    // The list may grow between the two calls: ask again on VK_INCOMPLETE.
    for (int attempt = 0; attempt < 4; attempt++) {
        uint32_t n = 0;
        VkResult r = in->EnumerateDeviceExtensionProperties(p, NULL, &n, NULL);
        if (r < 0) return r;
        VkExtensionProperties *e = calloc(n ? n : 1, sizeof *e);
        if (e == NULL) return VK_ERROR_OUT_OF_HOST_MEMORY;
        r = in->EnumerateDeviceExtensionProperties(p, NULL, &n, e);
        if (r == VK_SUCCESS) {
            i->extensions = e;
            i->extension_count = n;
            return r;
        }
        free(e);
        if (r != VK_INCOMPLETE) return r;
    }
    return VK_INCOMPLETE;
}

// Whether the driver says that buffers can be made of host memory. SwiftShader
// offers the extension and says no.
static int imports_host(raw_instance *in, VkPhysicalDevice p) {
    const VkExternalMemoryHandleTypeFlagBits host = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    VkPhysicalDeviceExternalBufferInfo info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
        .usage = RAW_BUFFER_USAGE, .handleType = host};
    VkExternalBufferProperties out = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    if (!in->GetPhysicalDeviceExternalBufferProperties) return 0;
    in->GetPhysicalDeviceExternalBufferProperties(p, &info, &out);
    return out.externalMemoryProperties.externalMemoryFeatures & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT &&
           out.externalMemoryProperties.compatibleHandleTypes & host;
}

static void properties(raw_instance *in, VkPhysicalDevice p, raw_info *i) {
    VkPhysicalDeviceProperties2 head = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceSubgroupProperties sub = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceMaintenance3Properties m3 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
    VkPhysicalDeviceDriverProperties drv = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceSubgroupSizeControlProperties ssc = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
    VkPhysicalDeviceMaintenance4Properties m4 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES};
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};

    if (at_least(i, 1)) {
        CHAIN(head, id);
        CHAIN(head, sub);
        CHAIN(head, m3);
    }
    if (at_least(i, 2) || has(i, "VK_KHR_driver_properties")) CHAIN(head, drv);
    if (at_least(i, 3) || has(i, "VK_EXT_subgroup_size_control")) CHAIN(head, ssc);
    if (at_least(i, 3) || has(i, "VK_KHR_maintenance4")) CHAIN(head, m4);
    i->has_pci = has(i, "VK_EXT_pci_bus_info");
    if (i->has_pci) CHAIN(head, pci);
    if (has(i, "VK_EXT_external_memory_host")) CHAIN(head, host);

    in->GetPhysicalDeviceProperties2(p, &head);

    memcpy(i->uuid, id.deviceUUID, VK_UUID_SIZE);
    memcpy(i->driver_uuid, id.driverUUID, VK_UUID_SIZE);
    i->subgroup = sub.subgroupSize;
    i->max_allocation = m3.maxMemoryAllocationSize;
    i->driver_id = drv.driverID;
    memcpy(i->driver_name, drv.driverName, sizeof i->driver_name - 1);
    memcpy(i->driver_info, drv.driverInfo, sizeof i->driver_info - 1);
    i->min_subgroup = ssc.minSubgroupSize;
    i->max_subgroup = ssc.maxSubgroupSize;
    i->required_subgroup = (ssc.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    i->max_buffer = m4.maxBufferSize;
    i->pci_domain = pci.pciDomain;
    i->pci_bus = pci.pciBus;
    i->pci_device = pci.pciDevice;
    i->pci_function = pci.pciFunction;
    // Believed of CPU drivers alone: on a GPU the verification of the link decides.
    int cpu = i->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    if (has(i, "VK_EXT_external_memory_host") && (!cpu || imports_host(in, p))) i->import_align = host.minImportedHostPointerAlignment;
}

static void features(raw_instance *in, VkPhysicalDevice p, raw_info *i) {
    VkPhysicalDeviceFeatures2 head = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    VkPhysicalDeviceVulkan11Features v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    VkPhysicalDeviceVulkan12Features v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceVulkan13Features v13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomics = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV matrix2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV};
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR};

    if (at_least(i, 2)) {
        CHAIN(head, v11);
        CHAIN(head, v12);
    }
    if (at_least(i, 3)) CHAIN(head, v13);
    if (has(i, "VK_EXT_shader_atomic_float")) CHAIN(head, atomics);
    if (has(i, "VK_KHR_cooperative_matrix")) CHAIN(head, matrix);
    if (has(i, "VK_NV_cooperative_matrix2")) CHAIN(head, matrix2);
    if (has(i, "VK_KHR_shader_bfloat16")) CHAIN(head, bfloat);

    in->GetPhysicalDeviceFeatures2(p, &head);

    const VkPhysicalDeviceFeatures *f = &head.features;
    const struct { VkBool32 on; uint32_t bit; } table[] = {
        {v12.timelineSemaphore, RAW_FEATURE_TIMELINE_SEMAPHORE},
        {v13.synchronization2, RAW_FEATURE_SYNCHRONIZATION2},
        {v12.hostQueryReset, RAW_FEATURE_HOST_QUERY_RESET},
        {v13.maintenance4, RAW_FEATURE_MAINTENANCE4},
        {v12.bufferDeviceAddress, RAW_FEATURE_BUFFER_DEVICE_ADDRESS},
        {v13.subgroupSizeControl, RAW_FEATURE_SUBGROUP_SIZE_CONTROL},
        {v13.computeFullSubgroups, RAW_FEATURE_COMPUTE_FULL_SUBGROUPS},
        {v13.shaderIntegerDotProduct, RAW_FEATURE_INTEGER_DOT_PRODUCT},
        {v12.vulkanMemoryModel, RAW_FEATURE_VULKAN_MEMORY_MODEL},
        {v12.shaderFloat16, RAW_FEATURE_FLOAT16},
        {f->shaderFloat64, RAW_FEATURE_FLOAT64},
        {v12.shaderInt8, RAW_FEATURE_INT8},
        {f->shaderInt16, RAW_FEATURE_INT16},
        {f->shaderInt64, RAW_FEATURE_INT64},
        {v12.storageBuffer8BitAccess, RAW_FEATURE_STORAGE8},
        {v11.storageBuffer16BitAccess, RAW_FEATURE_STORAGE16},
        {atomics.shaderBufferFloat32AtomicAdd, RAW_FEATURE_FLOAT32_ATOMICS},
        {matrix.cooperativeMatrix, RAW_FEATURE_COOPERATIVE_MATRIX},
        // What a matrix of the whole work-group takes: its scope, sizes of one's own, loads by tensors.
        {matrix.cooperativeMatrix && matrix2.cooperativeMatrixWorkgroupScope && matrix2.cooperativeMatrixFlexibleDimensions &&
             matrix2.cooperativeMatrixTensorAddressing, RAW_FEATURE_COOPERATIVE_MATRIX2},
        {bfloat.shaderBFloat16Type, RAW_FEATURE_BFLOAT16},
        {bfloat.shaderBFloat16Type && bfloat.shaderBFloat16CooperativeMatrix, RAW_FEATURE_BFLOAT16_MATRIX},
        {f->robustBufferAccess, RAW_FEATURE_ROBUST_BUFFER_ACCESS},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].on) i->features |= table[k].bit;
}

void raw_memory(raw_instance *in, VkPhysicalDevice p, raw_info *i) {
    VkPhysicalDeviceMemoryProperties2 head = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    if (i->has_budget) CHAIN(head, budget);
    in->GetPhysicalDeviceMemoryProperties2(p, &head);

    const VkPhysicalDeviceMemoryProperties *m = &head.memoryProperties;
    i->heap_count = m->memoryHeapCount < RAW_INFO_HEAPS ? m->memoryHeapCount : RAW_INFO_HEAPS;
    for (uint32_t k = 0; k < i->heap_count; k++) {
        i->heaps[k].size = m->memoryHeaps[k].size;
        i->heaps[k].flags = m->memoryHeaps[k].flags;
        i->heaps[k].budget = budget.heapBudget[k];
        i->heaps[k].usage = budget.heapUsage[k];
    }
    i->type_count = m->memoryTypeCount < RAW_INFO_TYPES ? m->memoryTypeCount : RAW_INFO_TYPES;
    for (uint32_t k = 0; k < i->type_count; k++) {
        i->types[k].heap = m->memoryTypes[k].heapIndex;
        i->types[k].flags = m->memoryTypes[k].propertyFlags;
    }
}

static void queues(raw_instance *in, VkPhysicalDevice p, raw_info *i) {
    VkQueueFamilyProperties2 q[RAW_INFO_FAMILIES];
    memset(q, 0, sizeof q);
    for (int k = 0; k < RAW_INFO_FAMILIES; k++) q[k].sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2;
    uint32_t n = RAW_INFO_FAMILIES;
    in->GetPhysicalDeviceQueueFamilyProperties2(p, &n, q);
    i->family_count = n;
    for (uint32_t k = 0; k < n; k++) {
        i->families[k].flags = q[k].queueFamilyProperties.queueFlags;
        i->families[k].count = q[k].queueFamilyProperties.queueCount;
        i->families[k].timestamp_bits = q[k].queueFamilyProperties.timestampValidBits;
    }
}

raw_info *raw_info_new(raw_instance *in, VkPhysicalDevice p, int32_t *result) {
    raw_info *i = calloc(1, sizeof *i);
    if (i == NULL) {
        *result = VK_ERROR_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    core(in, p, i);
    *result = extensions(in, p, i);
    if (*result != VK_SUCCESS) return i;
    if (in->GetPhysicalDeviceProperties2 == NULL || in->GetPhysicalDeviceFeatures2 == NULL ||
        in->GetPhysicalDeviceMemoryProperties2 == NULL || in->GetPhysicalDeviceQueueFamilyProperties2 == NULL ||
        !at_least(i, 1)) {
        *result = VK_ERROR_INCOMPATIBLE_DRIVER;
        return i;
    }
    properties(in, p, i);
    features(in, p, i);
    i->has_budget = has(i, "VK_EXT_memory_budget");
    raw_memory(in, p, i);
    queues(in, p, i);
    raw_matrices(in, p, i);
    return i;
}

void raw_info_free(raw_info *i) {
    if (i == NULL) return;
    free(i->extensions);
    free(i->matrices);
    free(i);
}
