// The fault layer: function tables whose entries count their calls, fail one of them
// and know which objects are alive.
#define _GNU_SOURCE
#include "fault.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every function that can fail, those of the instance first.
#define CALLS(X)                                                                                                           \
    X(EnumeratePhysicalDevices) X(EnumerateDeviceExtensionProperties) X(CreateDevice)                                      \
    X(DeviceWaitIdle) X(AllocateMemory) X(MapMemory) X(CreateBuffer) X(BindBufferMemory) X(CreateShaderModule)             \
    X(CreateDescriptorSetLayout) X(CreatePipelineLayout) X(CreatePipelineCache) X(GetPipelineCacheData)                    \
    X(CreateComputePipelines) X(CreateDescriptorPool) X(AllocateDescriptorSets) X(CreateCommandPool)                       \
    X(AllocateCommandBuffers) X(BeginCommandBuffer) X(EndCommandBuffer) X(CreateQueryPool) X(GetQueryPoolResults)          \
    X(QueueSubmit2) X(CreateSemaphore) X(GetSemaphoreCounterValue) X(WaitSemaphores) X(SignalSemaphore)                    \
    X(GetMemoryHostPointerPropertiesEXT) X(GetMemoryFdKHR) X(GetMemoryFdPropertiesKHR) X(GetCalibratedTimestampsEXT)
#define ENUM(name) CALL_##name,
enum { CALLS(ENUM) CALL_COUNT };
#define NAME(name) "vk" #name,
static const char *names[] = {CALLS(NAME)};

// Objects whose number must be 0 when all is closed. Command buffers and descriptor sets
// go with their pools.
#define KINDS(X) X(Memory) X(Buffer) X(ShaderModule) X(DescriptorSetLayout) X(PipelineLayout) X(PipelineCache) X(Pipeline) \
    X(DescriptorPool) X(CommandPool) X(QueryPool) X(Semaphore) X(Device)
#define KIND(name) KIND_##name,
enum { KINDS(KIND) KIND_COUNT };
#define KIND_NAME(name) #name,
static const char *kinds[] = {KINDS(KIND_NAME)};

enum { SITES = 256, SEATS = 256 };
// A device under the layer. Its table is kept as the driver gave it.
typedef struct seat {
    raw_device *device; // NULL: the seat is free
    raw_device real;
    VkQueue queues[2];
    int lost;
} seat;

static struct {
    pthread_mutex_t lock;
    int armed;
    int32_t call, result;
    uint64_t site, nth, times, seen, hits;
    VkPhysicalDevice physical;
    char log[1024];
    struct { int32_t call; uint64_t site, count; } sites[SITES];
    int64_t alive[KIND_COUNT];
    raw_instance instance;
    seat seats[SEATS];
} f = {.lock = PTHREAD_MUTEX_INITIALIZER};

// The device of the last call in this thread: command buffers do not tell theirs.
static __thread seat *current;

int32_t raw_fault_known(const char *call) {
    for (int i = 0; i < CALL_COUNT; i++)
        if (!strcmp(call, names[i])) return i;
    return -1;
}

const char *raw_fault_name(int32_t call) { return call >= 0 && call < CALL_COUNT ? names[call] : NULL; }

void raw_fault_arm(const char *call, uint64_t site, uint64_t nth, uint64_t times, int32_t result, const char *log) {
    pthread_mutex_lock(&f.lock);
    f.armed = 1;
    f.call = raw_fault_known(call);
    f.result = result;
    f.site = site;
    f.nth = nth;
    f.times = times;
    f.seen = f.hits = 0;
    f.physical = NULL;
    snprintf(f.log, sizeof f.log, "%s", log ? log : "");
    memset(f.sites, 0, sizeof f.sites);
    memset(f.alive, 0, sizeof f.alive);
    pthread_mutex_unlock(&f.lock);
}

void raw_fault_switch(int on) { f.armed = on; }

void raw_fault_device(VkPhysicalDevice physical) { f.physical = physical; }

// Where in this program an address is, whatever it was loaded at.
static uint64_t place(void *address) {
    Dl_info info;
    if (dladdr(address, &info) && info.dli_fbase) return (uint64_t)((char *)address - (char *)info.dli_fbase);
    return (uint64_t)(uintptr_t)address;
}

// Lets everything queued on a lane through.
static void let_through(seat *s, raw_device *d) {
    uint64_t now = 0;
    if (d && d->go && s->real.GetSemaphoreCounterValue(d->handle, d->go, &now) == VK_SUCCESS) {
        VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = d->go, .value = now + (1u << 30)};
        s->real.SignalSemaphore(d->handle, &info);
    }
}

// A lost device has nothing under way any more.
static void lose(seat *s) {
    s->lost = 1;
    let_through(s, s->device);
    let_through(s, s->device->beside);
    s->real.DeviceWaitIdle(s->device->handle);
}

// Counts a call and tells whether it fails instead of being made.
static int hit(seat *s, VkPhysicalDevice physical, int32_t call, void *from, VkResult *result) {
    uint64_t site = place(from);
    int fails = 0;
    pthread_mutex_lock(&f.lock);
    for (int i = 0; i < SITES; i++) {
        if (f.sites[i].count == 0) {
            f.sites[i].call = call;
            f.sites[i].site = site;
        }
        if (f.sites[i].call == call && f.sites[i].site == site) {
            f.sites[i].count++;
            break;
        }
    }
    if (call == f.call && (!f.site || site == f.site) && (!f.physical || !physical || physical == f.physical)) {
        f.seen++;
        fails = f.seen >= f.nth && f.seen - f.nth < f.times;
        f.hits += fails;
    }
    pthread_mutex_unlock(&f.lock);
    if (fails && f.result == VK_ERROR_DEVICE_LOST && s) lose(s);
    *result = s && s->lost ? VK_ERROR_DEVICE_LOST : f.result;
    return fails || (s && s->lost);
}

static void alive(int kind, int64_t n) { __atomic_add_fetch(&f.alive[kind], n, __ATOMIC_RELAXED); }

static VkResult made(VkResult r, int kind, int64_t n) {
    if (r == VK_SUCCESS) alive(kind, n);
    return r;
}

static seat *of(VkDevice device) {
    pthread_mutex_lock(&f.lock);
    seat *s = NULL;
    for (int i = 0; i < SEATS && !s; i++)
        if (f.seats[i].device && f.seats[i].device->handle == device) s = &f.seats[i];
    pthread_mutex_unlock(&f.lock);
    return current = s;
}

static seat *of_queue(VkQueue queue) {
    pthread_mutex_lock(&f.lock);
    seat *s = NULL;
    for (int i = 0; i < SEATS && !s; i++)
        if (f.seats[i].device && (f.seats[i].queues[0] == queue || f.seats[i].queues[1] == queue)) s = &f.seats[i];
    pthread_mutex_unlock(&f.lock);
    return current = s;
}

// One entry of the table: PLAIN calls make nothing, MAKER calls make n objects.
#define PLAIN(name, owner, params, args)                                                                      \
    static VKAPI_ATTR VkResult VKAPI_CALL w_##name params {                                                   \
        seat *s = owner;                                                                                      \
        VkResult r;                                                                                           \
        if (hit(s, s->device->physical, CALL_##name, __builtin_return_address(0), &r)) return r;              \
        return s->real.name args;                                                                             \
    }
#define MAKER(name, kind, n, params, args)                                                                    \
    static VKAPI_ATTR VkResult VKAPI_CALL w_##name params {                                                   \
        seat *s = of(d);                                                                                      \
        VkResult r;                                                                                           \
        if (hit(s, s->device->physical, CALL_##name, __builtin_return_address(0), &r)) return r;              \
        return made(s->real.name args, KIND_##kind, n);                                                       \
    }
#define CREATE(name, kind, info, handle) \
    MAKER(name, kind, 1, (VkDevice d, const info *i, const VkAllocationCallbacks *a, handle *out), (d, i, a, out))
#define DESTROY(name, kind, handle)                                                                           \
    static VKAPI_ATTR void VKAPI_CALL w_##name(VkDevice d, handle h, const VkAllocationCallbacks *a) {        \
        if (h) alive(KIND_##kind, -1);                                                                        \
        of(d)->real.name(d, h, a);                                                                            \
    }

PLAIN(DeviceWaitIdle, of(d), (VkDevice d), (d))
PLAIN(MapMemory, of(d), (VkDevice d, VkDeviceMemory m, VkDeviceSize o, VkDeviceSize n, VkMemoryMapFlags fl, void **p), (d, m, o, n, fl, p))
PLAIN(BindBufferMemory, of(d), (VkDevice d, VkBuffer b, VkDeviceMemory m, VkDeviceSize o), (d, b, m, o))
PLAIN(GetPipelineCacheData, of(d), (VkDevice d, VkPipelineCache c, size_t *n, void *p), (d, c, n, p))
PLAIN(BeginCommandBuffer, current, (VkCommandBuffer c, const VkCommandBufferBeginInfo *i), (c, i))
PLAIN(EndCommandBuffer, current, (VkCommandBuffer c), (c))
PLAIN(GetQueryPoolResults, of(d), (VkDevice d, VkQueryPool p, uint32_t a, uint32_t n, size_t z, void *o, VkDeviceSize st, VkQueryResultFlags fl), (d, p, a, n, z, o, st, fl))
PLAIN(QueueSubmit2, of_queue(q), (VkQueue q, uint32_t n, const VkSubmitInfo2 *i, VkFence e), (q, n, i, e))
PLAIN(GetSemaphoreCounterValue, of(d), (VkDevice d, VkSemaphore e, uint64_t *v), (d, e, v))
PLAIN(WaitSemaphores, of(d), (VkDevice d, const VkSemaphoreWaitInfo *i, uint64_t t), (d, i, t))
PLAIN(SignalSemaphore, of(d), (VkDevice d, const VkSemaphoreSignalInfo *i), (d, i))
PLAIN(GetMemoryHostPointerPropertiesEXT, of(d), (VkDevice d, VkExternalMemoryHandleTypeFlagBits t, const void *p, VkMemoryHostPointerPropertiesEXT *o), (d, t, p, o))
PLAIN(GetMemoryFdKHR, of(d), (VkDevice d, const VkMemoryGetFdInfoKHR *i, int *o), (d, i, o))
PLAIN(GetMemoryFdPropertiesKHR, of(d), (VkDevice d, VkExternalMemoryHandleTypeFlagBits t, int fd, VkMemoryFdPropertiesKHR *o), (d, t, fd, o))
PLAIN(GetCalibratedTimestampsEXT, of(d), (VkDevice d, uint32_t n, const VkCalibratedTimestampInfoEXT *i, uint64_t *t, uint64_t *m), (d, n, i, t, m))
MAKER(CreateComputePipelines, Pipeline, n, (VkDevice d, VkPipelineCache c, uint32_t n, const VkComputePipelineCreateInfo *i, const VkAllocationCallbacks *a, VkPipeline *o), (d, c, n, i, a, o))
PLAIN(AllocateDescriptorSets, of(d), (VkDevice d, const VkDescriptorSetAllocateInfo *i, VkDescriptorSet *o), (d, i, o))
PLAIN(AllocateCommandBuffers, of(d), (VkDevice d, const VkCommandBufferAllocateInfo *i, VkCommandBuffer *o), (d, i, o))
CREATE(AllocateMemory, Memory, VkMemoryAllocateInfo, VkDeviceMemory)
CREATE(CreateBuffer, Buffer, VkBufferCreateInfo, VkBuffer)
CREATE(CreateShaderModule, ShaderModule, VkShaderModuleCreateInfo, VkShaderModule)
CREATE(CreateDescriptorSetLayout, DescriptorSetLayout, VkDescriptorSetLayoutCreateInfo, VkDescriptorSetLayout)
CREATE(CreatePipelineLayout, PipelineLayout, VkPipelineLayoutCreateInfo, VkPipelineLayout)
CREATE(CreatePipelineCache, PipelineCache, VkPipelineCacheCreateInfo, VkPipelineCache)
CREATE(CreateDescriptorPool, DescriptorPool, VkDescriptorPoolCreateInfo, VkDescriptorPool)
CREATE(CreateCommandPool, CommandPool, VkCommandPoolCreateInfo, VkCommandPool)
CREATE(CreateQueryPool, QueryPool, VkQueryPoolCreateInfo, VkQueryPool)
CREATE(CreateSemaphore, Semaphore, VkSemaphoreCreateInfo, VkSemaphore)
DESTROY(FreeMemory, Memory, VkDeviceMemory)
DESTROY(DestroyBuffer, Buffer, VkBuffer)
DESTROY(DestroyShaderModule, ShaderModule, VkShaderModule)
DESTROY(DestroyDescriptorSetLayout, DescriptorSetLayout, VkDescriptorSetLayout)
DESTROY(DestroyPipelineLayout, PipelineLayout, VkPipelineLayout)
DESTROY(DestroyPipelineCache, PipelineCache, VkPipelineCache)
DESTROY(DestroyPipeline, Pipeline, VkPipeline)
DESTROY(DestroyDescriptorPool, DescriptorPool, VkDescriptorPool)
DESTROY(DestroyCommandPool, CommandPool, VkCommandPool)
DESTROY(DestroyQueryPool, QueryPool, VkQueryPool)
DESTROY(DestroySemaphore, Semaphore, VkSemaphore)

static VKAPI_ATTR void VKAPI_CALL w_GetDeviceQueue(VkDevice d, uint32_t family, uint32_t index, VkQueue *out) {
    seat *s = of(d);
    s->real.GetDeviceQueue(d, family, index, out);
    pthread_mutex_lock(&f.lock);
    s->queues[s->queues[0] != NULL] = *out;
    pthread_mutex_unlock(&f.lock);
}

static VKAPI_ATTR void VKAPI_CALL w_DestroyDevice(VkDevice d, const VkAllocationCallbacks *a) {
    seat *s = of(d);
    alive(KIND_Device, -1);
    s->real.DestroyDevice(d, a);
    pthread_mutex_lock(&f.lock);
    s->device = NULL;
    pthread_mutex_unlock(&f.lock);
}

#define ON_INSTANCE(name, physical, params, args)                                                             \
    static VKAPI_ATTR VkResult VKAPI_CALL w_##name params {                                                   \
        VkResult r;                                                                                           \
        if (hit(NULL, physical, CALL_##name, __builtin_return_address(0), &r)) return r;                      \
        return f.instance.name args;                                                                          \
    }
ON_INSTANCE(EnumeratePhysicalDevices, NULL, (VkInstance i, uint32_t *n, VkPhysicalDevice *o), (i, n, o))
ON_INSTANCE(EnumerateDeviceExtensionProperties, p, (VkPhysicalDevice p, const char *l, uint32_t *n, VkExtensionProperties *o), (p, l, n, o))
ON_INSTANCE(CreateDevice, p, (VkPhysicalDevice p, const VkDeviceCreateInfo *i, const VkAllocationCallbacks *a, VkDevice *o), (p, i, a, o))

void raw_fault_instance(raw_instance *in) {
    if (!f.armed) return;
    f.instance = *in;
    in->EnumeratePhysicalDevices = w_EnumeratePhysicalDevices;
    in->EnumerateDeviceExtensionProperties = w_EnumerateDeviceExtensionProperties;
    in->CreateDevice = w_CreateDevice;
}

void raw_fault_install(raw_device *d) {
    if (!f.armed) return;
    pthread_mutex_lock(&f.lock);
    seat *s = NULL;
    for (int i = 0; i < SEATS && !s; i++)
        if (!f.seats[i].device) s = &f.seats[i];
    if (s) *s = (seat){.device = d, .real = *d};
    pthread_mutex_unlock(&f.lock);
    if (!s) return;
    alive(KIND_Device, 1);
#define PUT(name) if (d->name) d->name = w_##name;
    PUT(DeviceWaitIdle) PUT(AllocateMemory) PUT(MapMemory) PUT(CreateBuffer) PUT(BindBufferMemory) PUT(CreateShaderModule)
    PUT(CreateDescriptorSetLayout) PUT(CreatePipelineLayout) PUT(CreatePipelineCache) PUT(GetPipelineCacheData)
    PUT(CreateComputePipelines) PUT(CreateDescriptorPool) PUT(AllocateDescriptorSets) PUT(CreateCommandPool)
    PUT(AllocateCommandBuffers) PUT(BeginCommandBuffer) PUT(EndCommandBuffer) PUT(CreateQueryPool) PUT(GetQueryPoolResults)
    PUT(QueueSubmit2) PUT(CreateSemaphore) PUT(GetSemaphoreCounterValue) PUT(WaitSemaphores) PUT(SignalSemaphore)
    PUT(GetMemoryHostPointerPropertiesEXT) PUT(GetMemoryFdKHR) PUT(GetMemoryFdPropertiesKHR) PUT(GetCalibratedTimestampsEXT)
    PUT(FreeMemory) PUT(DestroyBuffer) PUT(DestroyShaderModule) PUT(DestroyDescriptorSetLayout) PUT(DestroyPipelineLayout)
    PUT(DestroyPipelineCache) PUT(DestroyPipeline) PUT(DestroyDescriptorPool) PUT(DestroyCommandPool)
    PUT(DestroyQueryPool) PUT(DestroySemaphore) PUT(GetDeviceQueue) PUT(DestroyDevice)
#undef PUT
}

void raw_fault_met(uint64_t *seen, uint64_t *hits) {
    pthread_mutex_lock(&f.lock);
    *seen = f.seen;
    *hits = f.hits;
    pthread_mutex_unlock(&f.lock);
}

// Writes what was called where, whether the fault was met, and what is still alive.
int raw_fault_report(void) {
    if (!f.armed || !f.log[0]) return 1;
    FILE *out = fopen(f.log, "w");
    if (!out) return 0;
    for (int i = 0; i < SITES && f.sites[i].count; i++)
        fprintf(out, "call %s %llx %llu\n", names[f.sites[i].call], (unsigned long long)f.sites[i].site, (unsigned long long)f.sites[i].count);
    fprintf(out, "hits %llu\n", (unsigned long long)f.hits);
    for (int i = 0; i < KIND_COUNT; i++)
        if (f.alive[i]) fprintf(out, "alive %s %lld\n", kinds[i], (long long)f.alive[i]);
    return fclose(out) == 0;
}
