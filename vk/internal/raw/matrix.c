// Which cooperative matrices a device multiplies.
#include "info.h"
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

// The driver fills whole arrays of structs: each needs its type set before.
static VkCooperativeMatrixPropertiesKHR *subgroup_shapes(raw_instance *in, VkPhysicalDevice p, uint32_t *n) {
    PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR ask = (PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)
        in->GetInstanceProcAddr(in->handle, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
    *n = 0;
    if (!ask || ask(p, n, NULL) < 0 || *n == 0) return NULL;
    VkCooperativeMatrixPropertiesKHR *list = calloc(*n, sizeof *list);
    if (!list) return NULL;
    for (uint32_t i = 0; i < *n; i++) list[i].sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
    if (ask(p, n, list) < 0) *n = 0;
    return list;
}

static VkCooperativeMatrixFlexibleDimensionsPropertiesNV *flexible_shapes(raw_instance *in, VkPhysicalDevice p, uint32_t *n) {
    PFN_vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV ask = (PFN_vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV)
        in->GetInstanceProcAddr(in->handle, "vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV");
    *n = 0;
    if (!ask || ask(p, n, NULL) < 0 || *n == 0) return NULL;
    VkCooperativeMatrixFlexibleDimensionsPropertiesNV *list = calloc(*n, sizeof *list);
    if (!list) return NULL;
    for (uint32_t i = 0; i < *n; i++) list[i].sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_FLEXIBLE_DIMENSIONS_PROPERTIES_NV;
    if (ask(p, n, list) < 0) *n = 0;
    return list;
}

// Lists fixed shapes and granularities of flexible ones. What cannot be asked for is left
// out: kernels that need it are unsupported then.
void raw_matrices(raw_instance *in, VkPhysicalDevice p, raw_info *i) {
    uint32_t fixed = 0, flexible = 0;
    VkCooperativeMatrixPropertiesKHR *f = NULL;
    VkCooperativeMatrixFlexibleDimensionsPropertiesNV *x = NULL;
    if (i->features & RAW_FEATURE_COOPERATIVE_MATRIX) f = subgroup_shapes(in, p, &fixed);
    if (i->features & RAW_FEATURE_COOPERATIVE_MATRIX2) x = flexible_shapes(in, p, &flexible);
    i->matrices = calloc(fixed + flexible + 1, sizeof *i->matrices);
    if (i->matrices) {
        for (uint32_t k = 0; k < fixed; k++)
            i->matrices[i->matrix_count++] = (raw_info_matrix){f[k].MSize, f[k].NSize, f[k].KSize, f[k].AType, f[k].BType, f[k].CType,
                f[k].ResultType, f[k].saturatingAccumulation, f[k].scope, 0, 0};
        for (uint32_t k = 0; k < flexible; k++)
            i->matrices[i->matrix_count++] = (raw_info_matrix){x[k].MGranularity, x[k].NGranularity, x[k].KGranularity, x[k].AType, x[k].BType,
                x[k].CType, x[k].ResultType, x[k].saturatingAccumulation, x[k].scope, 1, x[k].workgroupInvocations};
    }
    free(f);
    free(x);
}
