// The library, its devices and the streams that copy.
#include "cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cuda_library *cuda_open(const char *path, char *text, size_t text_size) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        snprintf(text, text_size, "%s", dlerror());
        return NULL;
    }
    cuda_library *lib = calloc(1, sizeof *lib);
    if (!lib) {
        snprintf(text, text_size, "out of memory");
        dlclose(handle);
        return NULL;
    }
    lib->handle = handle;
    const char *missing = NULL;
#define LOAD(name, symbol, parameters)                  \
    *(void **)&lib->name = dlsym(handle, symbol);       \
    if (!lib->name && !missing) missing = symbol;
    CUDA_FUNCTIONS(LOAD)
#undef LOAD
    if (missing) {
        snprintf(text, text_size, "%s has no %s: the driver is too old or not NVIDIA's", path, missing);
    } else {
        CUresult r = lib->Init(0);
        if (r == 0) return lib;
        char name[128];
        cuda_error_name(lib, r, name, sizeof name);
        snprintf(text, text_size, "cuInit: %s", name);
    }
    dlclose(handle);
    free(lib);
    return NULL;
}

void cuda_error_name(cuda_library *lib, CUresult r, char *text, size_t text_size) {
    const char *name = NULL;
    if (lib->GetErrorName(r, &name) == 0 && name) snprintf(text, text_size, "%s", name);
    else snprintf(text, text_size, "CUDA error %d", r);
}

// CALL returns from the function when the call fails.
#define CALL(lib, name, ...)                    \
    do {                                        \
        CUresult r_ = (lib)->name(__VA_ARGS__); \
        if (r_ != 0) {                          \
            *call = "cu" #name;                 \
            return r_;                          \
        }                                       \
    } while (0)

CUresult cuda_device_find(cuda_library *lib, const unsigned char *uuid, cuda_device *out, int *found, const char **call) {
    int count = 0;
    *found = 0;
    CALL(lib, DeviceGetCount, &count);
    for (int i = 0; i < count; i++) {
        CUdevice d;
        CUuuid u;
        CALL(lib, DeviceGet, &d, i);
        CALL(lib, DeviceGetUuid, &u, d);
        if (memcmp(u.bytes, uuid, sizeof u.bytes) != 0) continue;
        *out = (cuda_device){.lib = lib, .ordinal = d};
        *found = 1;
        return 0;
    }
    return 0;
}

CUresult cuda_device_prepare(cuda_device *d, int *suitable, const char **call) {
    int mapping = 0, fd = 0;
    CALL(d->lib, DeviceGetAttribute, &mapping, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, d->ordinal);
    CALL(d->lib, DeviceGetAttribute, &fd, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, d->ordinal);
    *suitable = mapping && fd;
    if (*suitable) CALL(d->lib, DevicePrimaryCtxRetain, &d->context, d->ordinal);
    return 0;
}

CUresult cuda_can_reach(cuda_device *d, cuda_device *peer, int *can, const char **call) {
    CALL(d->lib, DeviceCanAccessPeer, can, d->ordinal, peer->ordinal);
    return 0;
}

CUresult cuda_can_reach_uuid(cuda_device *d, const unsigned char *uuid, int *found, int *can, const char **call) {
    cuda_device peer = {0};
    *can = 0;
    CUresult r = cuda_device_find(d->lib, uuid, &peer, found, call);
    return r != 0 || !*found ? r : cuda_can_reach(d, &peer, can, call);
}

CUresult cuda_stream_new(cuda_device *d, cuda_stream **out, const char **call) {
    cuda_stream *s = calloc(1, sizeof *s);
    if (!s) {
        *call = "malloc";
        return 2; // CUDA_ERROR_OUT_OF_MEMORY
    }
    s->device = d;
    CUresult r = d->lib->CtxSetCurrent(d->context);
    *call = "cuCtxSetCurrent";
    if (r == 0) {
        *call = "cuStreamCreate";
        r = d->lib->StreamCreate(&s->stream, CU_STREAM_NON_BLOCKING);
    }
    if (r == 0) {
        *call = "cuEventCreate";
        r = d->lib->EventCreate(&s->event, CU_EVENT_DISABLE_TIMING);
        if (r != 0) d->lib->StreamDestroy(s->stream);
    }
    if (r != 0) {
        free(s);
        return r;
    }
    *out = s;
    return 0;
}

CUresult cuda_stream_free(cuda_stream *s, const char **call) {
    cuda_library *lib = s->device->lib;
    CUresult first = lib->EventDestroy(s->event);
    *call = "cuEventDestroy";
    CUresult r = lib->StreamDestroy(s->stream);
    if (first == 0) *call = "cuStreamDestroy";
    free(s);
    return first != 0 ? first : r;
}

int32_t cuda_stream_start(void *context, const uint64_t *copies, uint32_t n) {
    cuda_stream *s = context;
    cuda_library *lib = s->device->lib;
    CUresult r = lib->CtxSetCurrent(s->device->context);
    if (r != 0) s->failed = "cuCtxSetCurrent";
    for (uint32_t i = 0; i < n && r == 0; i++) {
        r = lib->MemcpyDtoDAsync(copies[3 * i], copies[3 * i + 1], copies[3 * i + 2], s->stream);
        if (r != 0) s->failed = "cuMemcpyDtoDAsync";
    }
    CUresult marked = lib->EventRecord(s->event, s->stream); // also behind the copies before one that failed
    if (r == 0 && marked != 0) s->failed = "cuEventRecord";
    return r != 0 ? r : marked;
}

int32_t cuda_stream_poll(void *context) {
    cuda_stream *s = context;
    CUresult r = s->device->lib->EventQuery(s->event);
    if (r == CUDA_ERROR_NOT_READY) return -1;
    if (r != 0) s->failed = "cuEventQuery";
    return r;
}
