// The loader, the instance and the messages of the validation layer.
#include "fault.h"

#include <dlfcn.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct raw_ring {
    pthread_mutex_t lock;
    raw_message items[RAW_MESSAGES];
    uint32_t first, count;
    int32_t lost;
};

static VKAPI_ATTR VkBool32 VKAPI_CALL keep_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                   VkDebugUtilsMessageTypeFlagsEXT type,
                                                   const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
    struct raw_ring *r = user;
    (void)type;
    pthread_mutex_lock(&r->lock);
    if (r->count == RAW_MESSAGES) {
        r->lost++;
    } else {
        raw_message *m = &r->items[(r->first + r->count++) % RAW_MESSAGES];
        m->severity = (int32_t)severity;
        snprintf(m->id, sizeof m->id, "%s", data->pMessageIdName ? data->pMessageIdName : "");
        snprintf(m->text, sizeof m->text, "%s", data->pMessage ? data->pMessage : "");
    }
    pthread_mutex_unlock(&r->lock);
    return VK_FALSE;
}

int32_t raw_messages(raw_instance *in, raw_message *out, int32_t most, int32_t *lost) {
    struct raw_ring *r = in->ring;
    int32_t n = 0;
    *lost = 0;
    if (!r) return 0;
    pthread_mutex_lock(&r->lock);
    while (n < most && r->count > 0) {
        out[n++] = r->items[r->first];
        r->first = (r->first + 1) % RAW_MESSAGES;
        r->count--;
    }
    *lost = r->lost;
    r->lost = 0;
    pthread_mutex_unlock(&r->lock);
    return n;
}

// open_library tries the given path, or the names the loader has on a system
// without and with its development package.
static void *open_library(const char *path, char *text, size_t size) {
    const char *names[] = {"libvulkan.so.1", "libvulkan.so"};
    if (path && *path) {
        void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!lib) snprintf(text, size, "%s", dlerror());
        return lib;
    }
    size_t at = 0;
    for (size_t i = 0; i < 2; i++) {
        void *lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (lib) return lib;
        const char *why = dlerror();
        if (at < size) at += (size_t)snprintf(text + at, size - at, "%s%s", i ? "; " : "", why ? why : "");
    }
    return NULL;
}

static int has_layer(raw_instance *in, const char *name) {
    PFN_vkEnumerateInstanceLayerProperties f =
        (PFN_vkEnumerateInstanceLayerProperties)in->GetInstanceProcAddr(NULL, "vkEnumerateInstanceLayerProperties");
    uint32_t n = 0;
    if (!f || f(&n, NULL) != VK_SUCCESS || n == 0) return 0;
    VkLayerProperties *p = calloc(n, sizeof *p);
    if (!p) return 0;
    int found = 0;
    if (f(&n, p) >= 0)
        for (uint32_t i = 0; i < n; i++) found |= !strcmp(p[i].layerName, name);
    free(p);
    return found;
}

int32_t raw_open(const char *path, int validation, raw_instance **out, char *text, size_t text_size) {
    static const char *layer = "VK_LAYER_KHRONOS_validation";
    static const char *extensions[] = {"VK_EXT_debug_utils"};
    #ifdef __GLIBC__
    // Drivers allocate from many short-lived threads; with an arena for each, memory
    // that is free in one cannot serve another and a long process grows.
    mallopt(M_ARENA_MAX, 2);
#endif
    raw_instance *in = calloc(1, sizeof *in);
    if (!in) return VK_ERROR_OUT_OF_HOST_MEMORY;
    in->library = open_library(path, text, text_size);
    if (!in->library) {
        free(in);
        return RAW_NO_LIBRARY;
    }
    int32_t result = RAW_NO_SYMBOL;
    in->GetInstanceProcAddr = (PFN_vkGetInstanceProcAddr)dlsym(in->library, "vkGetInstanceProcAddr");
    PFN_vkCreateInstance create = NULL;
    if (in->GetInstanceProcAddr) create = (PFN_vkCreateInstance)in->GetInstanceProcAddr(NULL, "vkCreateInstance");
    if (!create) {
        snprintf(text, text_size, "the library has no vkCreateInstance");
        goto fail;
    }
    PFN_vkEnumerateInstanceVersion version =
        (PFN_vkEnumerateInstanceVersion)in->GetInstanceProcAddr(NULL, "vkEnumerateInstanceVersion");
    in->loader_version = VK_API_VERSION_1_0;
    if (version) version(&in->loader_version);

    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "amgpu", .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = keep_message};
    VkValidationFeatureEnableEXT enables[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, .pNext = &messenger, .enabledValidationFeatureCount = 1, .pEnabledValidationFeatures = enables};
    if (validation) {
        if (!has_layer(in, layer)) {
            result = RAW_NO_VALIDATION;
            goto fail;
        }
        in->ring = calloc(1, sizeof *in->ring);
        if (!in->ring) {
            result = VK_ERROR_OUT_OF_HOST_MEMORY;
            goto fail;
        }
        pthread_mutex_init(&in->ring->lock, NULL);
        messenger.pUserData = in->ring;
        info.pNext = &features;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &layer;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = extensions;
    }
    result = create(&info, NULL, &in->handle);
    if (result != VK_SUCCESS) goto fail;

#define LOAD(name) in->name = (PFN_vk##name)in->GetInstanceProcAddr(in->handle, "vk" #name);
    RAW_INSTANCE_FUNCTIONS(LOAD, LOAD)
#undef LOAD
#define NEED(name)                                                                        \
    if (!in->name) {                                                                      \
        snprintf(text, text_size, "the Vulkan loader offers no vk%s", #name);             \
        result = RAW_NO_SYMBOL;                                                           \
        goto fail;                                                                        \
    }
#define SKIP(name)
    RAW_INSTANCE_FUNCTIONS(NEED, SKIP)
#undef NEED
#undef SKIP
    raw_fault_instance(in);
    if (validation && in->CreateDebugUtilsMessengerEXT)
        in->CreateDebugUtilsMessengerEXT(in->handle, &messenger, NULL, &in->messenger);
    *out = in;
    return VK_SUCCESS;
fail:
    raw_close(in);
    return result;
}

void raw_close(raw_instance *in) {
    if (!in) return;
    raw_fault_report();
    if (in->messenger && in->DestroyDebugUtilsMessengerEXT) in->DestroyDebugUtilsMessengerEXT(in->handle, in->messenger, NULL);
    if (in->handle) {
        PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)in->GetInstanceProcAddr(in->handle, "vkDestroyInstance");
        if (destroy) destroy(in->handle, NULL);
    }
    if (in->ring) {
        pthread_mutex_destroy(&in->ring->lock);
        free(in->ring);
    }
    // The library stays loaded: drivers may keep threads that would return into unmapped code.
    free(in);
}

int32_t raw_physical(raw_instance *in, VkPhysicalDevice *out, uint32_t *count) {
    return in->EnumeratePhysicalDevices(in->handle, count, out);
}

int32_t raw_has_extension(raw_instance *in, VkPhysicalDevice p, const char *name) {
    uint32_t n = 0;
    if (in->EnumerateDeviceExtensionProperties(p, NULL, &n, NULL) != VK_SUCCESS || n == 0) return 0;
    VkExtensionProperties *list = calloc(n, sizeof *list);
    if (!list) return 0;
    int found = 0;
    if (in->EnumerateDeviceExtensionProperties(p, NULL, &n, list) >= 0)
        for (uint32_t i = 0; i < n; i++) found |= !strcmp(list[i].extensionName, name);
    free(list);
    return found;
}
