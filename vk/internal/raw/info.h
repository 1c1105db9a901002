// What one physical device says about itself, as one flat struct.
#ifndef AMGPU_INFO_H
#define AMGPU_INFO_H

#include "raw.h"

#define RAW_INFO_HEAPS VK_MAX_MEMORY_HEAPS
#define RAW_INFO_TYPES VK_MAX_MEMORY_TYPES
#define RAW_INFO_FAMILIES 32

// Bits of raw_info.features.
#define RAW_FEATURES(X)             \
    X(TIMELINE_SEMAPHORE)           \
    X(SYNCHRONIZATION2)             \
    X(HOST_QUERY_RESET)             \
    X(MAINTENANCE4)                 \
    X(BUFFER_DEVICE_ADDRESS)        \
    X(SUBGROUP_SIZE_CONTROL)        \
    X(COMPUTE_FULL_SUBGROUPS)       \
    X(INTEGER_DOT_PRODUCT)          \
    X(VULKAN_MEMORY_MODEL)          \
    X(FLOAT16)                      \
    X(FLOAT64)                      \
    X(INT8)                         \
    X(INT16)                        \
    X(INT64)                        \
    X(STORAGE8)                     \
    X(STORAGE16)                    \
    X(FLOAT32_ATOMICS)              \
    X(COOPERATIVE_MATRIX)           \
    X(COOPERATIVE_MATRIX2)          \
    X(BFLOAT16)                     \
    X(BFLOAT16_MATRIX)              \
    X(ROBUST_BUFFER_ACCESS)
#define RAW_FEATURE_INDEX(name) RAW_INDEX_##name,
enum { RAW_FEATURES(RAW_FEATURE_INDEX) RAW_FEATURE_COUNT };
#define RAW_FEATURE_BIT(name) RAW_FEATURE_##name = 1u << RAW_INDEX_##name,
enum { RAW_FEATURES(RAW_FEATURE_BIT) };

typedef struct raw_info_heap {
    uint64_t size, budget, usage; // budget and usage only where has_budget
    uint32_t flags;
} raw_info_heap;

typedef struct raw_info_type {
    uint32_t heap, flags;
} raw_info_type;

typedef struct raw_info_family {
    uint32_t flags, count, timestamp_bits;
} raw_info_family;

// A product of matrices, A of m x k by B of k x n added to C, that invocations make
// together. Components and scope are Vulkan's numbers.
typedef struct raw_info_matrix {
    uint32_t m, n, k;
    uint32_t a, b, c, result, saturating, scope;
    uint32_t flexible, invocations; // sizes are granularities; of a work-group, or 0
} raw_info_matrix;

typedef struct raw_info {
    // identity
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    uint32_t type, vendor, device, api, driver_version;
    uint32_t driver_id; // 0: unknown
    char driver_name[VK_MAX_DRIVER_NAME_SIZE];
    char driver_info[VK_MAX_DRIVER_INFO_SIZE];
    uint8_t uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE];
    int32_t has_pci;
    uint32_t pci_domain, pci_bus, pci_device, pci_function;
    // memory and queues
    int32_t has_budget;
    uint32_t heap_count, type_count, family_count;
    raw_info_heap heaps[RAW_INFO_HEAPS];
    raw_info_type types[RAW_INFO_TYPES];
    raw_info_family families[RAW_INFO_FAMILIES];
    // limits; 0 where the device reports none
    uint64_t max_storage_range, max_allocation, max_buffer;
    uint64_t storage_align, import_align, atom_size;
    uint32_t shared_memory, invocations, push_constants, max_allocations;
    uint32_t subgroup, min_subgroup, max_subgroup;
    uint32_t required_subgroup; // a compute kernel may ask for a size
    uint32_t group_count[3], group_size[3];
    uint32_t set_storage_buffers, stage_storage_buffers;
    float timestamp_period;
    uint32_t features;
    // owned: freed by raw_info_free
    uint32_t matrix_count;
    raw_info_matrix *matrices;
    // extension names, owned: freed by raw_info_free
    uint32_t extension_count;
    VkExtensionProperties *extensions;
} raw_info;

// Asks device p. On failure the identity of Vulkan 1.0 (name, type, ids,
// versions) is still filled in. The result is freed with raw_info_free, which
// takes NULL; NULL is returned only when there is no memory for it.
raw_info *raw_info_new(raw_instance *in, VkPhysicalDevice p, int32_t *result);
void raw_info_free(raw_info *info);
// Asks again what the heaps of a device hold now: its RAW_INFO_HEAPS heaps and types are
// written, has_budget is read.
void raw_memory(raw_instance *in, VkPhysicalDevice p, raw_info *info);
// Fills in the matrices of a device whose features are known.
void raw_matrices(raw_instance *in, VkPhysicalDevice p, raw_info *info);
#endif
