// Vulkan for amgpu: the loader is opened at run time, every struct is built here
// on the C stack, Go passes scalars, handles and flat arrays of numbers.
#ifndef AMGPU_RAW_H
#define AMGPU_RAW_H

#include <stdint.h>
#include <stddef.h>
// Non-dispatchable handles are plain 64-bit numbers here, not pointers to
// nowhere: Go must never hold such a "pointer".
#define VK_USE_64_BIT_PTR_DEFINES 0
#include <vulkan/vulkan.h>

// Functions of an instance. X(name) lists them once for declaration and loading;
// R marks required ones, O optional ones (NULL: feature absent).
#define RAW_INSTANCE_FUNCTIONS(R, O)                \
    R(DestroyInstance)                              \
    R(EnumeratePhysicalDevices)                     \
    R(EnumerateDeviceExtensionProperties)           \
    R(GetPhysicalDeviceProperties)                  \
    O(GetPhysicalDeviceProperties2)                 \
    O(GetPhysicalDeviceFeatures2)                   \
    O(GetPhysicalDeviceMemoryProperties2)           \
    O(GetPhysicalDeviceQueueFamilyProperties2)      \
    O(GetPhysicalDeviceExternalBufferProperties)    \
    R(CreateDevice)                                 \
    R(GetDeviceProcAddr)                            \
    O(GetPhysicalDeviceCalibrateableTimeDomainsEXT) \
    O(CreateDebugUtilsMessengerEXT)                 \
    O(DestroyDebugUtilsMessengerEXT)

#define RAW_DEVICE_FUNCTIONS(R, O)     \
    R(DestroyDevice)                   \
    R(GetDeviceQueue)                  \
    R(DeviceWaitIdle)                  \
    R(AllocateMemory)                  \
    R(FreeMemory)                      \
    R(MapMemory)                       \
    R(CreateBuffer)                    \
    R(DestroyBuffer)                   \
    R(GetBufferMemoryRequirements)     \
    R(BindBufferMemory)                \
    R(CreateShaderModule)              \
    R(DestroyShaderModule)             \
    R(CreateDescriptorSetLayout)       \
    R(DestroyDescriptorSetLayout)      \
    R(CreatePipelineLayout)            \
    R(DestroyPipelineLayout)           \
    R(CreatePipelineCache)             \
    R(DestroyPipelineCache)            \
    R(GetPipelineCacheData)            \
    R(CreateComputePipelines)          \
    R(DestroyPipeline)                 \
    R(CreateDescriptorPool)            \
    R(DestroyDescriptorPool)           \
    R(AllocateDescriptorSets)          \
    R(UpdateDescriptorSets)            \
    R(CreateCommandPool)               \
    R(DestroyCommandPool)              \
    R(AllocateCommandBuffers)          \
    R(FreeCommandBuffers)              \
    R(BeginCommandBuffer)              \
    R(EndCommandBuffer)                \
    R(CmdBindPipeline)                 \
    R(CmdBindDescriptorSets)           \
    R(CmdPushConstants)                \
    R(CmdDispatch)                     \
    R(CmdPipelineBarrier2)             \
    R(CmdCopyBuffer)                   \
    R(CmdFillBuffer)                   \
    R(CmdWriteTimestamp2)              \
    R(CreateQueryPool)                 \
    R(DestroyQueryPool)                \
    R(ResetQueryPool)                  \
    R(GetQueryPoolResults)             \
    R(QueueSubmit2)                    \
    R(CreateSemaphore)                 \
    R(DestroySemaphore)                \
    R(GetSemaphoreCounterValue)        \
    R(WaitSemaphores)                  \
    R(SignalSemaphore)                 \
    O(GetMemoryHostPointerPropertiesEXT) \
    O(GetMemoryFdKHR)                  \
    O(GetMemoryFdPropertiesKHR)        \
    O(GetCalibratedTimestampsEXT)

// What every buffer may be used for.
#define RAW_BUFFER_USAGE (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT)

#define RAW_DECLARE(name) PFN_vk##name name;

// A debug message kept for Go to fetch.
#define RAW_MESSAGES 256
#define RAW_MESSAGE_TEXT 1024
typedef struct raw_message {
    int32_t severity;
    char id[128];
    char text[RAW_MESSAGE_TEXT];
} raw_message;

typedef struct raw_instance {
    void *library;
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    VkInstance handle;
    uint32_t loader_version;
    VkDebugUtilsMessengerEXT messenger;
    struct raw_ring *ring;
    RAW_INSTANCE_FUNCTIONS(RAW_DECLARE, RAW_DECLARE)
} raw_instance;

typedef struct raw_device {
    raw_instance *instance;
    VkPhysicalDevice physical;
    VkDevice handle;
    VkQueue queue;
    uint32_t family;
    VkCommandPool pool;
    VkSemaphore go, done;   // timelines of the schedules and of single submissions
    uint64_t go_value, done_value;
    uint64_t signalled;     // the last value of done that something queued signals
    // A second queue for copies beside the work of the first: the device once more,
    // with a queue, a command pool and timelines of its own. NULL in that one.
    struct raw_device *beside;
    int has_host_import, has_calibration, has_fd, has_dma_buf;
    VkTimeDomainEXT host_clock; // that is read beside the device's, if has_calibration
    RAW_DEVICE_FUNCTIONS(RAW_DECLARE, RAW_DECLARE)
} raw_device;

// Results of raw_open besides VkResult values.
#define RAW_NO_LIBRARY 1000
#define RAW_NO_SYMBOL 1001
#define RAW_NO_VALIDATION 1002

int32_t raw_open(const char *path, int validation, raw_instance **out, char *text, size_t text_size);
void raw_close(raw_instance *in);
int32_t raw_physical(raw_instance *in, VkPhysicalDevice *out, uint32_t *count);
int32_t raw_messages(raw_instance *in, raw_message *out, int32_t most, int32_t *lost);
int32_t raw_has_extension(raw_instance *in, VkPhysicalDevice p, const char *name);

// beside is the family of the second queue; family: the first queue is the second as well.
// features are RAW_FEATURE_* bits to switch on (see on_request); the device must have them.
int32_t raw_device_open(raw_instance *in, VkPhysicalDevice p, uint32_t family, uint32_t beside, uint32_t features, raw_device **out, char *text, size_t text_size);
// Nothing of the device may be under way, unless it is lost.
void raw_device_close(raw_device *d);
// Waits until nothing is under way, at most timeout_ns: VK_TIMEOUT.
int32_t raw_wait_idle(raw_device *d, uint64_t timeout_ns);

int32_t raw_alloc(raw_device *d, uint64_t size, uint32_t type, int map, VkDeviceMemory *mem, void **mapped);
int32_t raw_import_host(raw_device *d, void *host, uint64_t size, uint32_t type_bits, VkDeviceMemory *mem, uint32_t *type);
// Kinds of memory that come from outside, or go there.
enum { RAW_OWN, RAW_HOST, RAW_FD, RAW_DMA_BUF };
// Imports memory behind a file descriptor, which belongs to the device afterwards;
// after an error it is still the caller's.
int32_t raw_import_fd(raw_device *d, int kind, int fd, uint64_t size, uint32_t type, VkDeviceMemory *mem);
// The memory types that can import a dma-buf.
int32_t raw_dma_buf_types(raw_device *d, int fd, uint32_t *types);
// raw_alloc of memory that others can import through *fd, which the caller owns.
int32_t raw_alloc_shared(raw_device *d, int kind, uint64_t size, uint32_t type, int map, VkDeviceMemory *mem, void **mapped, int *fd);
void raw_free(raw_device *d, VkDeviceMemory mem);
int32_t raw_buffer(raw_device *d, uint64_t size, int kind, VkBuffer *buf, uint64_t *need, uint64_t *align, uint32_t *types);
int32_t raw_bind(raw_device *d, VkBuffer buf, VkDeviceMemory mem, uint64_t offset);
void raw_buffer_free(raw_device *d, VkBuffer buf);

// Most bindings and specialization constants of one kernel.
#define RAW_MAX_BINDINGS 32
#define RAW_MAX_SPEC 64

typedef struct raw_kernel {
    VkPipeline pipeline;
    VkPipelineLayout layout;
    VkDescriptorSetLayout sets;
    uint32_t bindings;
    uint32_t push_bytes;
} raw_kernel;
// spec: pairs (id, value). cache_in may be NULL; on success *cache_out holds malloc'ed cache data (or NULL).
int32_t raw_kernel_new(raw_device *d, const uint32_t *code, uint64_t words, const char *entry, uint32_t bindings, uint32_t push_bytes,
                       const uint32_t *spec, uint32_t spec_count, uint32_t subgroup, const void *cache_in, uint64_t cache_in_size,
                       raw_kernel *out, void **cache_out, uint64_t *cache_out_size);
void raw_kernel_free(raw_device *d, raw_kernel *k);

int32_t raw_set_pool(raw_device *d, uint32_t sets, uint32_t buffers, VkDescriptorPool *out);
void raw_set_pool_free(raw_device *d, VkDescriptorPool p);
// ranges: triples (buffer, offset, size)
int32_t raw_set(raw_device *d, VkDescriptorPool p, VkDescriptorSetLayout layout, const uint64_t *ranges, uint32_t count, VkDescriptorSet *out);
// Binds other ranges; nothing under way may use the set.
int32_t raw_set_update(raw_device *d, VkDescriptorSet set, const uint64_t *ranges, uint32_t count);

// Recording: a flat list of 64-bit words; each operation is its code and operands:
//   RAW_DISPATCH  pipeline layout set x y z pushes  then (pushes+1)/2 words of packed 32-bit values
//   RAW_COPY      src srcOff dst dstOff size
//   RAW_FILL      dst off size value
//   RAW_BARRIER   from to (stage bits below)
//   RAW_TIMESTAMP pool index
enum { RAW_DISPATCH = 1, RAW_COPY, RAW_FILL, RAW_BARRIER, RAW_TIMESTAMP };
enum { RAW_STAGE_COMPUTE = 1, RAW_STAGE_TRANSFER = 2, RAW_STAGE_HOST = 4 };
int32_t raw_record(raw_device *d, const uint64_t *ops, uint64_t words, VkCommandBuffer *out);
int32_t raw_rerecord(raw_device *d, VkCommandBuffer c, const uint64_t *ops, uint64_t words);
void raw_commands_free(raw_device *d, VkCommandBuffer c);
// Submits one command buffer and waits for it, at most timeout_ns a call; VK_TIMEOUT: call raw_wait_done again.
int32_t raw_submit(raw_device *d, VkCommandBuffer c);
int32_t raw_wait_done(raw_device *d, uint64_t timeout_ns);

int32_t raw_queries(raw_device *d, uint32_t n, VkQueryPool *out);
void raw_queries_free(raw_device *d, VkQueryPool p);
void raw_queries_reset(raw_device *d, VkQueryPool p, uint32_t n);
int32_t raw_queries_read(raw_device *d, VkQueryPool p, uint32_t n, uint64_t *out, uint64_t *available);
int32_t raw_calibrate(raw_device *d, uint64_t *device_ticks, uint64_t *host_ns, uint64_t *deviation);

// Schedules: what a team does in one sample.
typedef struct raw_copy { void *dst; const void *src; uint64_t size; } raw_copy;
typedef struct raw_schedule raw_schedule;
typedef struct raw_timing {
    int64_t opened;
    int64_t *signalled;   // by lane
    int64_t *done;        // by lane
    int64_t *phase_done;  // by phase: seen done on all lanes
    int64_t *phase_moved; // by phase: its peer copies seen done as well
    int64_t *phase_copied; // by phase: its host copies made as well
    int32_t failed_device; // its lane; -1: none
    int32_t failed_call;   // RAW_CALL_*
    uint32_t failed_phase;
    uint8_t *stuck;        // by lane: after an error, work of it is still under way
} raw_timing;
enum { RAW_CALL_NONE, RAW_CALL_SUBMIT, RAW_CALL_WAIT, RAW_CALL_SIGNAL, RAW_CALL_COUNTER, RAW_CALL_PEER_START, RAW_CALL_PEER_POLL, RAW_CALL_BARRIER };
// A copy engine outside Vulkan (vk/peer). start queues n copies, triples (dst,
// src, size) of its own addresses, one behind the other, and returns 0 or an error
// code of its own; poll looks once whether all that was started is done: 0 yes,
// RAW_UNDER_WAY not yet, else an error code. Neither may block.
#define RAW_UNDER_WAY (-1)
typedef struct raw_engine {
    int32_t (*start)(void *context, const uint64_t *copies, uint32_t n);
    int32_t (*poll)(void *context);
    void *context;
    uint32_t device; // its lane, for errors
} raw_engine;
// lanes: n queues, the first team of them one of each device, the rest second queues;
// counts: submissions by phase*n+lane; tails: how many of them, the last ones, the end of
// the phase does not wait for; commands: their command buffers in that order;
// copy_counts: copies by phase.
raw_schedule *raw_schedule_new(raw_device **lanes, uint32_t n, uint32_t team, uint32_t phases, const uint32_t *counts, const uint32_t *tails,
                               const uint64_t *commands, const uint32_t *copy_counts, int blocking);
void raw_schedule_copy(raw_schedule *s, uint32_t index, void *dst, const void *src, uint64_t size);
// Adds the peer copies of one engine in a phase: they start when the lanes of
// the mask are through the phase, and the next phase waits for them. touched: the
// devices, as lanes, whose memory they use. Phases must come in order. Returns 0 when
// there is no memory.
int raw_schedule_peers(raw_schedule *s, uint32_t phase, const raw_engine *e, uint64_t mask, uint64_t touched, const uint64_t *copies, uint32_t n);
// Has the copies of each engine started by a thread of its own, all at the same time;
// returns how many threads there are. After the last copies were added.
uint32_t raw_schedule_hire(raw_schedule *s);
// From when on the start gate may open (CLOCK_MONOTONIC_RAW), in all runs that follow; 0: at once.
void raw_schedule_gate(raw_schedule *s, int64_t at_ns);
// Peers wait for other processes: the barrier's time-out is then of this process's devices only.
void raw_schedule_remote(raw_schedule *s);
// Limits of a run: how long any device may take for one phase (0: any time), after
// which the run ends with RAW_CALL_BARRIER, and how long an error path waits for what
// was queued (0: the default).
void raw_schedule_limits(raw_schedule *s, int64_t barrier_ns, int64_t drain_ns);
int32_t raw_schedule_run(raw_schedule *s, int64_t timeout_ns);
void raw_schedule_cancel(raw_schedule *s, int on);
raw_timing *raw_schedule_timing(raw_schedule *s);
void raw_schedule_free(raw_schedule *s);

int64_t raw_now(void); // CLOCK_MONOTONIC_RAW, nanoseconds
#endif
