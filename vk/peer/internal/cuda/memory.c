// Memory that a GPU owns, its peers reach, and Vulkan and other processes import.
#include "cuda.h"

#include <stdlib.h>

static CUmemAllocationProp properties(cuda_device *d) {
    return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED, .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location = {CU_MEM_LOCATION_TYPE_DEVICE, d->ordinal}};
}

#define STEP(name, ...)                                        \
    do {                                                       \
        CUresult r_ = d->lib->name(__VA_ARGS__);               \
        if (r_ != 0) {                                         \
            *call = "cu" #name;                                \
            return r_;                                         \
        }                                                      \
    } while (0)

// The steps of cuda_memory_new; the caller undoes what was done. fd is -1 until
// the memory is exported.
static CUresult build(cuda_device *d, cuda_device **peers, size_t n, size_t size, cuda_memory *m, int *mapped, int *fd, const char **call) {
    CUmemAllocationProp prop = properties(d);
    STEP(CtxSetCurrent, d->context);
    if (d->granularity == 0) STEP(MemGetAllocationGranularity, &d->granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    m->size = (size + d->granularity - 1) / d->granularity * d->granularity;
    STEP(MemCreate, &m->handle, m->size, &prop, 0);
    STEP(MemAddressReserve, &m->at, m->size, 0, 0, 0);
    STEP(MemMap, m->at, m->size, 0, m->handle, 0);
    *mapped = 1;
    CUmemAccessDesc *list = calloc(n + 1, sizeof *list);
    if (!list) {
        *call = "malloc";
        return 2; // CUDA_ERROR_OUT_OF_MEMORY
    }
    for (size_t i = 0; i <= n; i++)
        list[i] = (CUmemAccessDesc){{CU_MEM_LOCATION_TYPE_DEVICE, i < n ? peers[i]->ordinal : d->ordinal}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUresult r = d->lib->MemSetAccess(m->at, m->size, list, n + 1);
    free(list);
    if (r != 0) {
        *call = "cuMemSetAccess";
        return r;
    }
    STEP(MemExportToShareableHandle, fd, m->handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    return 0;
}

// The steps of cuda_memory_import, likewise.
static CUresult map_import(cuda_device *d, int fd, size_t size, cuda_memory *m, int *mapped, const char **call) {
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, d->ordinal}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    m->size = size;
    STEP(CtxSetCurrent, d->context);
    STEP(MemImportFromShareableHandle, &m->handle, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    STEP(MemAddressReserve, &m->at, m->size, 0, 0, 0);
    STEP(MemMap, m->at, m->size, 0, m->handle, 0);
    *mapped = 1;
    STEP(MemSetAccess, m->at, m->size, &access, 1);
    return 0;
}

// Undoes what exists of m, newest first, and returns the first error.
static CUresult undo(cuda_device *d, cuda_memory *m, int mapped, const char **call) {
    CUresult first = 0, r;
#define UNDO(condition, name, ...)                                \
    if ((condition) && (r = d->lib->name(__VA_ARGS__)) != 0 && first == 0) { \
        first = r;                                                \
        *call = "cu" #name;                                       \
    }
    UNDO(mapped, MemUnmap, m->at, m->size)
    UNDO(m->at, MemAddressFree, m->at, m->size)
    UNDO(m->handle, MemRelease, m->handle)
#undef UNDO
    return first;
}

CUresult cuda_memory_new(cuda_device *owner, cuda_device **peers, size_t n, size_t size, cuda_memory *out, int *fd, const char **call) {
    cuda_memory m = {0};
    int mapped = 0;
    *fd = -1;
    CUresult r = build(owner, peers, n, size, &m, &mapped, fd, call);
    if (r != 0) {
        const char *ignored;
        undo(owner, &m, mapped, &ignored); // the first failure is the one to report
        return r;
    }
    *out = m;
    return 0;
}

CUresult cuda_memory_export(cuda_device *d, cuda_memory *m, int *fd, const char **call) {
    *fd = -1;
    STEP(CtxSetCurrent, d->context);
    STEP(MemExportToShareableHandle, fd, m->handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    return 0;
}

CUresult cuda_memory_import(cuda_device *d, int fd, size_t size, cuda_memory *out, const char **call) {
    cuda_memory m = {0};
    int mapped = 0;
    CUresult r = map_import(d, fd, size, &m, &mapped, call);
    if (r != 0) {
        const char *ignored;
        undo(d, &m, mapped, &ignored);
        return r;
    }
    *out = m;
    return 0;
}

CUresult cuda_memory_free(cuda_device *owner, cuda_memory *m, const char **call) { return undo(owner, m, 1, call); }
