// Memory and buffers: the device's own, imported from outside, or shared with others.
#include "raw.h"

static VkExternalMemoryHandleTypeFlagBits handle_type(int kind) {
    switch (kind) {
    case RAW_HOST: return VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    case RAW_DMA_BUF: return VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    default: return VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    }
}

static VkResult allocate(raw_device *d, const void *chain, uint64_t size, uint32_t type, int map, VkDeviceMemory *mem, void **mapped) {
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = chain, .allocationSize = size, .memoryTypeIndex = type};
    VkResult r = d->AllocateMemory(d->handle, &info, NULL, mem);
    *mapped = NULL;
    if (r != VK_SUCCESS || !map) return r;
    r = d->MapMemory(d->handle, *mem, 0, VK_WHOLE_SIZE, 0, mapped);
    if (r != VK_SUCCESS) d->FreeMemory(d->handle, *mem, NULL);
    return r;
}

int32_t raw_alloc(raw_device *d, uint64_t size, uint32_t type, int map, VkDeviceMemory *mem, void **mapped) {
    return allocate(d, NULL, size, type, map, mem, mapped);
}

// Imports page-aligned host memory. type_bits are the memory types the buffer
// allows; *type becomes the one chosen.
int32_t raw_import_host(raw_device *d, void *host, uint64_t size, uint32_t type_bits, VkDeviceMemory *mem, uint32_t *type) {
    VkMemoryHostPointerPropertiesEXT props = {.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    VkResult r = d->GetMemoryHostPointerPropertiesEXT(d->handle, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, host, &props);
    if (r != VK_SUCCESS) return r;
    uint32_t both = props.memoryTypeBits & type_bits;
    if (!both) return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    VkImportMemoryHostPointerInfoEXT import = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, .pHostPointer = host};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &import, .allocationSize = size};
    r = VK_ERROR_INVALID_EXTERNAL_HANDLE;
    for (uint32_t i = 0; i < 32; i++) {
        if (!(both >> i & 1)) continue;
        info.memoryTypeIndex = i;
        r = d->AllocateMemory(d->handle, &info, NULL, mem);
        if (r == VK_SUCCESS) {
            *type = i;
            return r;
        }
    }
    return r;
}

int32_t raw_import_fd(raw_device *d, int kind, int fd, uint64_t size, uint32_t type, VkDeviceMemory *mem) {
    VkImportMemoryFdInfoKHR import = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, .handleType = handle_type(kind), .fd = fd};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &import, .allocationSize = size, .memoryTypeIndex = type};
    return d->AllocateMemory(d->handle, &info, NULL, mem);
}

int32_t raw_dma_buf_types(raw_device *d, int fd, uint32_t *types) {
    VkMemoryFdPropertiesKHR props = {.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR};
    VkResult r = d->GetMemoryFdPropertiesKHR(d->handle, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, fd, &props);
    *types = props.memoryTypeBits;
    return r;
}

int32_t raw_alloc_shared(raw_device *d, int kind, uint64_t size, uint32_t type, int map, VkDeviceMemory *mem, void **mapped, int *fd) {
    VkExportMemoryAllocateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, .handleTypes = handle_type(kind)};
    VkResult r = allocate(d, &export, size, type, map, mem, mapped);
    if (r != VK_SUCCESS) return r;
    VkMemoryGetFdInfoKHR get = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = *mem, .handleType = handle_type(kind)};
    r = d->GetMemoryFdKHR(d->handle, &get, fd);
    if (r != VK_SUCCESS) d->FreeMemory(d->handle, *mem, NULL);
    return r;
}

void raw_free(raw_device *d, VkDeviceMemory mem) { d->FreeMemory(d->handle, mem, NULL); }

int32_t raw_buffer(raw_device *d, uint64_t size, int kind, VkBuffer *buf, uint64_t *need, uint64_t *align, uint32_t *types) {
    VkExternalMemoryBufferCreateInfo ext = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, .handleTypes = handle_type(kind)};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = kind == RAW_OWN ? NULL : &ext, .size = size,
        .usage = RAW_BUFFER_USAGE, .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
    uint32_t families[2] = {d->family, d->beside->family};
    if (families[0] != families[1]) { // both queues copy
        info.sharingMode = VK_SHARING_MODE_CONCURRENT;
        info.queueFamilyIndexCount = 2;
        info.pQueueFamilyIndices = families;
    }
    VkResult r = d->CreateBuffer(d->handle, &info, NULL, buf);
    if (r != VK_SUCCESS) return r;
    VkMemoryRequirements req;
    d->GetBufferMemoryRequirements(d->handle, *buf, &req);
    *need = req.size;
    *align = req.alignment;
    *types = req.memoryTypeBits;
    return VK_SUCCESS;
}

int32_t raw_bind(raw_device *d, VkBuffer buf, VkDeviceMemory mem, uint64_t offset) { return d->BindBufferMemory(d->handle, buf, mem, offset); }

void raw_buffer_free(raw_device *d, VkBuffer buf) { d->DestroyBuffer(d->handle, buf, NULL); }
