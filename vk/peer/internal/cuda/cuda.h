// The few calls of the CUDA driver that make memory which several GPUs reach and
// copy between them. The library is opened at run time; nothing of a CUDA toolkit
// is needed, so the types are declared here (cuda.h of CUDA 12, checked by size).
#ifndef AMGPU_CUDA_H
#define AMGPU_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef void *CUcontext;
typedef void *CUstream;
typedef void *CUevent;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct { unsigned char bytes[16]; } CUuuid;

enum {
    CUDA_ERROR_NOT_READY = 600,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
    CU_MEM_ALLOCATION_TYPE_PINNED = 1,
    CU_MEM_LOCATION_TYPE_DEVICE = 1,
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
    CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_DISABLE_TIMING = 2,
};

typedef struct { int type, id; } CUmemLocation;
typedef struct {
    int type, requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType, gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} CUmemAllocationProp;
typedef struct { CUmemLocation location; int flags; } CUmemAccessDesc;
_Static_assert(sizeof(CUmemAllocationProp) == 32, "CUmemAllocationProp of cuda.h");
_Static_assert(sizeof(CUmemAccessDesc) == 12, "CUmemAccessDesc of cuda.h");
_Static_assert(sizeof(CUuuid) == 16, "CUuuid of cuda.h");

// X(name, symbol, parameters)
#define CUDA_FUNCTIONS(X)                                                                                               \
    X(Init, "cuInit", (unsigned flags))                                                                                 \
    X(GetErrorName, "cuGetErrorName", (CUresult r, const char **text))                                                  \
    X(DeviceGetCount, "cuDeviceGetCount", (int *count))                                                                 \
    X(DeviceGet, "cuDeviceGet", (CUdevice * device, int ordinal))                                                       \
    X(DeviceGetUuid, "cuDeviceGetUuid", (CUuuid * uuid, CUdevice device))                                               \
    X(DeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, CUdevice device))                         \
    X(DeviceCanAccessPeer, "cuDeviceCanAccessPeer", (int *can, CUdevice device, CUdevice peer))                         \
    X(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext * context, CUdevice device))                       \
    X(CtxSetCurrent, "cuCtxSetCurrent", (CUcontext context))                                                            \
    X(MemGetAllocationGranularity, "cuMemGetAllocationGranularity", (size_t *granularity, const CUmemAllocationProp *prop, int option)) \
    X(MemCreate, "cuMemCreate", (CUmemGenericAllocationHandle * handle, size_t size, const CUmemAllocationProp *prop, unsigned long long flags)) \
    X(MemRelease, "cuMemRelease", (CUmemGenericAllocationHandle handle))                                                \
    X(MemAddressReserve, "cuMemAddressReserve", (CUdeviceptr * at, size_t size, size_t alignment, CUdeviceptr hint, unsigned long long flags)) \
    X(MemAddressFree, "cuMemAddressFree", (CUdeviceptr at, size_t size))                                                \
    X(MemMap, "cuMemMap", (CUdeviceptr at, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags)) \
    X(MemUnmap, "cuMemUnmap", (CUdeviceptr at, size_t size))                                                            \
    X(MemSetAccess, "cuMemSetAccess", (CUdeviceptr at, size_t size, const CUmemAccessDesc *list, size_t count))         \
    X(MemExportToShareableHandle, "cuMemExportToShareableHandle", (void *handle, CUmemGenericAllocationHandle memory, int type, unsigned long long flags)) \
    X(MemImportFromShareableHandle, "cuMemImportFromShareableHandle", (CUmemGenericAllocationHandle * memory, void *handle, int type)) \
    X(StreamCreate, "cuStreamCreate", (CUstream * stream, unsigned flags))                                              \
    X(StreamDestroy, "cuStreamDestroy_v2", (CUstream stream))                                                           \
    X(EventCreate, "cuEventCreate", (CUevent * event, unsigned flags))                                                  \
    X(EventDestroy, "cuEventDestroy_v2", (CUevent event))                                                               \
    X(EventRecord, "cuEventRecord", (CUevent event, CUstream stream))                                                   \
    X(EventQuery, "cuEventQuery", (CUevent event))                                                                      \
    X(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream))

#define CUDA_DECLARE(name, symbol, parameters) CUresult(*name) parameters;
typedef struct cuda_library {
    void *handle;
    CUDA_FUNCTIONS(CUDA_DECLARE)
} cuda_library;

typedef struct cuda_device {
    cuda_library *lib;
    CUdevice ordinal;
    CUcontext context; // the primary one
    size_t granularity;
} cuda_device;

// Memory of one device, mapped at one address for it and its peers.
typedef struct cuda_memory {
    CUmemGenericAllocationHandle handle;
    CUdeviceptr at;
    size_t size;
} cuda_memory;

// A stream of the device that copies away from it, with the event behind the
// last copy.
typedef struct cuda_stream {
    cuda_device *device;
    CUstream stream;
    CUevent event;
    const char *failed; // call of start or poll that failed; NULL: none
} cuda_stream;

// Opens the library at path. On failure text says why (no library, a missing
// symbol, or the error of cuInit) and NULL is returned.
cuda_library *cuda_open(const char *path, char *text, size_t text_size);
void cuda_error_name(cuda_library *lib, CUresult r, char *text, size_t text_size);

// All below return a CUresult, with the failing call's name in *call.
CUresult cuda_device_find(cuda_library *lib, const unsigned char *uuid, cuda_device *out, int *found, const char **call);
CUresult cuda_device_prepare(cuda_device *d, int *suitable, const char **call);
CUresult cuda_can_reach(cuda_device *d, cuda_device *peer, int *can, const char **call);
// found is 0 where the driver shows this process no device of that UUID.
CUresult cuda_can_reach_uuid(cuda_device *d, const unsigned char *uuid, int *found, int *can, const char **call);
CUresult cuda_memory_new(cuda_device *owner, cuda_device **peers, size_t n, size_t size, cuda_memory *out, int *fd, const char **call);
// Another descriptor of memory that cuda_memory_new made.
CUresult cuda_memory_export(cuda_device *owner, cuda_memory *m, int *fd, const char **call);
// Maps memory that another process exported, for one device of this one; fd stays the caller's.
CUresult cuda_memory_import(cuda_device *d, int fd, size_t size, cuda_memory *out, const char **call);
CUresult cuda_memory_free(cuda_device *owner, cuda_memory *m, const char **call);
CUresult cuda_stream_new(cuda_device *d, cuda_stream **out, const char **call);
CUresult cuda_stream_free(cuda_stream *s, const char **call);

// A copy engine as vk.CopyEngine describes it; context is a cuda_stream.
int32_t cuda_stream_start(void *context, const uint64_t *copies, uint32_t n);
int32_t cuda_stream_poll(void *context);

#endif
