// Compute pipelines and descriptor sets.
#include "raw.h"

#include <stdlib.h>

enum { MAX_BINDINGS = RAW_MAX_BINDINGS, MAX_SPEC = RAW_MAX_SPEC };

int32_t raw_kernel_new(raw_device *d, const uint32_t *code, uint64_t words, const char *entry, uint32_t bindings, uint32_t push_bytes,
                       const uint32_t *spec, uint32_t spec_count, uint32_t subgroup, const void *cache_in, uint64_t cache_in_size,
                       raw_kernel *out, void **cache_out, uint64_t *cache_out_size) {
    VkShaderModule module = VK_NULL_HANDLE;
    VkPipelineCache cache = VK_NULL_HANDLE;
    raw_kernel k = {.bindings = bindings, .push_bytes = push_bytes};
    *cache_out = NULL;
    *cache_out_size = 0;
    if (bindings > MAX_BINDINGS || spec_count > MAX_SPEC) return VK_ERROR_FEATURE_NOT_PRESENT;

    VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = (size_t)words * 4, .pCode = code};
    VkResult r = d->CreateShaderModule(d->handle, &module_info, NULL, &module);
    if (r != VK_SUCCESS) return r;

    VkDescriptorSetLayoutBinding b[MAX_BINDINGS];
    for (uint32_t i = 0; i < bindings; i++)
        b[i] = (VkDescriptorSetLayoutBinding){.binding = i, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo sets = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = bindings, .pBindings = b};
    r = d->CreateDescriptorSetLayout(d->handle, &sets, NULL, &k.sets);
    if (r == VK_SUCCESS) {
        VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = push_bytes};
        VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &k.sets,
            .pushConstantRangeCount = push_bytes ? 1 : 0, .pPushConstantRanges = &range};
        r = d->CreatePipelineLayout(d->handle, &layout, NULL, &k.layout);
    }
    if (r == VK_SUCCESS) {
        VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = (size_t)cache_in_size, .pInitialData = cache_in};
        r = d->CreatePipelineCache(d->handle, &info, NULL, &cache);
    }
    if (r == VK_SUCCESS) {
        VkSpecializationMapEntry entries[MAX_SPEC];
        uint32_t values[MAX_SPEC];
        for (uint32_t i = 0; i < spec_count; i++) {
            entries[i] = (VkSpecializationMapEntry){.constantID = spec[2 * i], .offset = i * 4, .size = 4};
            values[i] = spec[2 * i + 1];
        }
        VkSpecializationInfo special = {.mapEntryCount = spec_count, .pMapEntries = entries, .dataSize = spec_count * 4, .pData = values};
        VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = entry,
                      .pSpecializationInfo = spec_count ? &special : NULL},
            .layout = k.layout};
        VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, .requiredSubgroupSize = subgroup};
        if (subgroup) {
            info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
            info.stage.pNext = &size;
        }
        r = d->CreateComputePipelines(d->handle, cache, 1, &info, NULL, &k.pipeline);
    }
    if (r == VK_SUCCESS && cache_in_size == 0) {
        size_t size = 0;
        VkResult c = d->GetPipelineCacheData(d->handle, cache, &size, NULL);
        void *data = c == VK_SUCCESS && size > 0 ? malloc(size) : NULL;
        if (data) c = d->GetPipelineCacheData(d->handle, cache, &size, data);
        if (data && c == VK_SUCCESS) {
            *cache_out = data;
            *cache_out_size = size;
        } else {
            free(data);
            if (c == VK_ERROR_DEVICE_LOST) r = c; // a cache that is not kept only costs time, but this is no cache's error
        }
    }
    d->DestroyPipelineCache(d->handle, cache, NULL);
    d->DestroyShaderModule(d->handle, module, NULL);
    if (r != VK_SUCCESS) {
        raw_kernel_free(d, &k);
        return r;
    }
    *out = k;
    return VK_SUCCESS;
}

void raw_kernel_free(raw_device *d, raw_kernel *k) {
    d->DestroyPipeline(d->handle, k->pipeline, NULL);
    d->DestroyPipelineLayout(d->handle, k->layout, NULL);
    d->DestroyDescriptorSetLayout(d->handle, k->sets, NULL);
}

int32_t raw_set_pool(raw_device *d, uint32_t sets, uint32_t buffers, VkDescriptorPool *out) {
    VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = buffers};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = sets, .poolSizeCount = 1, .pPoolSizes = &size};
    return d->CreateDescriptorPool(d->handle, &info, NULL, out);
}

void raw_set_pool_free(raw_device *d, VkDescriptorPool p) { d->DestroyDescriptorPool(d->handle, p, NULL); }

int32_t raw_set(raw_device *d, VkDescriptorPool p, VkDescriptorSetLayout layout, const uint64_t *ranges, uint32_t count, VkDescriptorSet *out) {
    VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = p, .descriptorSetCount = 1, .pSetLayouts = &layout};
    VkResult r = d->AllocateDescriptorSets(d->handle, &info, out);
    return r == VK_SUCCESS ? raw_set_update(d, *out, ranges, count) : r;
}

int32_t raw_set_update(raw_device *d, VkDescriptorSet set, const uint64_t *ranges, uint32_t count) {
    if (count > MAX_BINDINGS) return VK_ERROR_FEATURE_NOT_PRESENT;
    VkDescriptorBufferInfo buffers[MAX_BINDINGS];
    VkWriteDescriptorSet writes[MAX_BINDINGS];
    for (uint32_t i = 0; i < count; i++) {
        buffers[i] = (VkDescriptorBufferInfo){.buffer = (VkBuffer)ranges[3 * i], .offset = ranges[3 * i + 1], .range = ranges[3 * i + 2]};
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = i, .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &buffers[i]};
    }
    d->UpdateDescriptorSets(d->handle, count, writes, 0, NULL);
    return VK_SUCCESS;
}
