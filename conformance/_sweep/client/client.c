// A Vulkan client for one random state: it reads a struct state and its data from standard input, says "ok", or why not, and then
// obeys letters: "m" submits once and answers with nanoseconds of wall clock and of all threads' CPU time a repetition, "p" draws
// once more and answers with the number of bytes of what came of it, and those bytes.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

// state is what main.go's State is, word by word.
struct state {
    uint32_t compute, side, samples;
    uint32_t colors, color_format, depth_format;
    uint32_t blend, src_color, dst_color, color_op, src_alpha, dst_alpha, alpha_op, mask, logic, logic_op;
    uint32_t depth_test, depth_write, depth_compare, depth_bounds, stencil_test;
    uint32_t fail, pass, depth_fail, stencil_compare, compare_mask, write_mask, reference;
    uint32_t topology, restart, cull, vertices, instances, indices;
    uint32_t attributes, attribute_formats[8], attribute_offsets[8], stride;
    uint32_t texture_format, view, width, height, depth, levels, layers, level_offsets[16];
    uint32_t linear, linear_mips, mips, wrap_u, wrap_v, wrap_w, anisotropy, compare, compare_op, border;
    uint32_t constant, groups;
    uint32_t vertex_bytes, fragment_bytes, data_bytes, index_bytes, texture_bytes;
};

static struct state s;
static VkPhysicalDevice gpu;
static VkDevice dev;
static VkQueue queue;
static VkCommandPool commands;
static VkFence fence;

static void stop(const char *how, ...) {
    va_list l;
    va_start(l, how);
    vprintf(how, l);
    va_end(l);
    putchar('\n');
    fflush(stdout);
    _exit(0);
}

static void must(VkResult r, const char *what) {
    if (r != VK_SUCCESS)
        stop("failed: %s: %d", what, r);
}

#define MUST(call) must(call, #call)

static void *blob(uint32_t n) {
    void *p = malloc(n + 1);
    if (!p || n && fread(p, n, 1, stdin) != 1)
        stop("failed: the description ends early");
    return p;
}

static VkDeviceMemory allocate(VkMemoryRequirements q, VkMemoryPropertyFlags want) {
    VkPhysicalDeviceMemoryProperties m;
    vkGetPhysicalDeviceMemoryProperties(gpu, &m);
    for (uint32_t i = 0; i < m.memoryTypeCount; i++)
        if (q.memoryTypeBits >> i & 1 && (m.memoryTypes[i].propertyFlags & want) == want) {
            VkDeviceMemory d;
            MUST(vkAllocateMemory(dev, &(VkMemoryAllocateInfo){VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, 0, q.size, i}, 0, &d));
            return d;
        }
    stop("failed: no type of memory");
    return 0;
}

// buffer makes a buffer that the host sees at *p.
static VkBuffer buffer(VkDeviceSize size, const void *data, void **p) {
    VkBuffer b;
    void *at;
    MUST(vkCreateBuffer(dev, &(VkBufferCreateInfo){VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size ? size : 4, .usage =
        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT}, 0, &b));
    VkMemoryRequirements q;
    vkGetBufferMemoryRequirements(dev, b, &q);
    VkDeviceMemory m = allocate(q, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    MUST(vkBindBufferMemory(dev, b, m, 0));
    MUST(vkMapMemory(dev, m, 0, VK_WHOLE_SIZE, 0, &at));
    memset(at, 0, size);
    if (data)
        memcpy(at, data, size);
    if (p)
        *p = at;
    return b;
}

static VkImageAspectFlags aspects(uint32_t format) {
    switch (format) {
    case VK_FORMAT_D16_UNORM: case VK_FORMAT_X8_D24_UNORM_PACK32: case VK_FORMAT_D32_SFLOAT:
        return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_FORMAT_D16_UNORM_S8_UINT: case VK_FORMAT_D24_UNORM_S8_UINT: case VK_FORMAT_D32_SFLOAT_S8_UINT:
        return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    case VK_FORMAT_S8_UINT:
        return VK_IMAGE_ASPECT_STENCIL_BIT;
    }
    return VK_IMAGE_ASPECT_COLOR_BIT;
}

// image makes an image with a view of all of it, where the driver knows such images.
static VkImage image(VkImageCreateInfo c, VkFormatFeatureFlags features, VkImageViewType type, VkImageView *view) {
    VkFormatProperties f;
    VkImageFormatProperties p;
    vkGetPhysicalDeviceFormatProperties(gpu, c.format, &f);
    if ((f.optimalTilingFeatures & features) != features)
        stop("unsupported: features of the format");
    if (vkGetPhysicalDeviceImageFormatProperties(gpu, c.format, c.imageType, VK_IMAGE_TILING_OPTIMAL, c.usage, c.flags, &p) != VK_SUCCESS || !(p.sampleCounts & c.samples))
        stop("unsupported: image");
    VkImage im;
    c.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    MUST(vkCreateImage(dev, &c, 0, &im));
    VkMemoryRequirements q;
    vkGetImageMemoryRequirements(dev, im, &q);
    MUST(vkBindImageMemory(dev, im, allocate(q, 0), 0));
    VkImageAspectFlags a = aspects(c.format);
    if (c.usage & VK_IMAGE_USAGE_SAMPLED_BIT && a & VK_IMAGE_ASPECT_DEPTH_BIT)
        a = VK_IMAGE_ASPECT_DEPTH_BIT;
    if (view)
        MUST(vkCreateImageView(dev, &(VkImageViewCreateInfo){VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = im, .viewType = type, .format = c.format,
            .subresourceRange = {a, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}}, 0, view));
    return im;
}

static VkCommandBuffer begin(void) {
    VkCommandBuffer c;
    MUST(vkAllocateCommandBuffers(dev, &(VkCommandBufferAllocateInfo){VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, 0, commands, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1}, &c));
    MUST(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
    return c;
}

static void submit(VkCommandBuffer c) {
    MUST(vkQueueSubmit(queue, 1, &(VkSubmitInfo){VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c}, fence));
    MUST(vkWaitForFences(dev, 1, &fence, 1, UINT64_MAX));
    MUST(vkResetFences(dev, 1, &fence));
}

// barrier waits for everything, and brings an image, if any, from one layout to another.
static void barrier(VkCommandBuffer c, VkImage im, uint32_t format, VkImageLayout from, VkImageLayout to) {
    const VkAccessFlags all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    VkImageMemoryBarrier b = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, 0, all, all, from, to, VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED, im,
        {aspects(format), 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
    VkMemoryBarrier m = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, 0, all, all};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &m, 0, 0, im ? 1 : 0, &b);
}

static void open_device(void) {
    VkInstance instance;
    MUST(vkCreateInstance(&(VkInstanceCreateInfo){VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &(VkApplicationInfo){VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3}}, 0, &instance));
    uint32_t n = 1;
    if (vkEnumeratePhysicalDevices(instance, &n, &gpu) < 0 || !n)
        stop("failed: no device");
    VkPhysicalDeviceFeatures have, want = {0};
    vkGetPhysicalDeviceFeatures(gpu, &have);
    want.logicOp = s.logic;
    want.depthBounds = s.depth_bounds;
    want.samplerAnisotropy = s.anisotropy > 0;
    const VkBool32 *h = (void *)&have, *w = (void *)&want;
    for (size_t i = 0; i < sizeof want / sizeof *w; i++)
        if (w[i] && !h[i])
            stop("unsupported: feature");
    VkPhysicalDeviceVulkan13Features f13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .dynamicRendering = 1};
    VkPhysicalDeviceVulkan12Features f12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &f13, .samplerMirrorClampToEdge = 1};
    MUST(vkCreateDevice(gpu, &(VkDeviceCreateInfo){VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &f12, .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &(VkDeviceQueueCreateInfo){VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, 0, 0, 0, 1, &(float){1}}, .pEnabledFeatures = &want}, 0, &dev));
    vkGetDeviceQueue(dev, 0, 0, &queue);
    MUST(vkCreateCommandPool(dev, &(VkCommandPoolCreateInfo){VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO}, 0, &commands));
    MUST(vkCreateFence(dev, &(VkFenceCreateInfo){VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, 0, &fence));
}

// What the state is made of.
static VkImage colors[4], zbuffer;
static VkImageView color_views[4], z_view;
static VkBuffer data, indices, result;
static void *data_at, *result_at, *first_data;
static VkPipelineLayout layout;
static VkPipeline pipeline;
static VkDescriptorSet set;

static VkImage texture(VkImageView *view) {
    const int cube = s.view == VK_IMAGE_VIEW_TYPE_CUBE;
    VkImage im = image((VkImageCreateInfo){.flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0, .imageType = s.view == VK_IMAGE_VIEW_TYPE_3D ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D,
        .format = s.texture_format, .extent = {s.width, s.height, s.depth}, .mipLevels = s.levels, .arrayLayers = s.layers, .samples = 1,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT},
        VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | (s.linear ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT : 0), s.view, view);
    void *texels = blob(s.texture_bytes);
    VkBuffer b = buffer(s.texture_bytes, texels, 0);
    VkCommandBuffer c = begin();
    barrier(c, im, s.texture_format, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    for (uint32_t l = 0; l < s.levels; l++) {
        VkExtent3D e = {s.width >> l ? s.width >> l : 1, s.height >> l ? s.height >> l : 1, s.depth >> l ? s.depth >> l : 1};
        vkCmdCopyBufferToImage(c, b, im, VK_IMAGE_LAYOUT_GENERAL, 1, &(VkBufferImageCopy){s.level_offsets[l], 0, 0, {aspects(s.texture_format), l, 0, s.layers}, {0, 0, 0}, e});
    }
    barrier(c, im, s.texture_format, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    MUST(vkEndCommandBuffer(c));
    submit(c);
    return im;
}

static void describe(VkImageView view) {
    VkSampler sampler = 0;
    VkDescriptorType storage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sampled = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    VkDescriptorSetLayoutBinding b[] = {{0, sampled, 1, VK_SHADER_STAGE_ALL}, {1, storage, 1, VK_SHADER_STAGE_ALL}, {2, storage, 1, VK_SHADER_STAGE_ALL}};
    VkDescriptorSetLayout l;
    VkDescriptorPool pool;
    MUST(vkCreateDescriptorSetLayout(dev, &(VkDescriptorSetLayoutCreateInfo){VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 3, .pBindings = b}, 0, &l));
    MUST(vkCreatePipelineLayout(dev, &(VkPipelineLayoutCreateInfo){VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &l}, 0, &layout));
    MUST(vkCreateDescriptorPool(dev, &(VkDescriptorPoolCreateInfo){VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2,
        .pPoolSizes = (VkDescriptorPoolSize[]){{sampled, 1}, {storage, 2}}}, 0, &pool));
    MUST(vkAllocateDescriptorSets(dev, &(VkDescriptorSetAllocateInfo){VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, 0, pool, 1, &l}, &set));
    VkWriteDescriptorSet w = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .descriptorCount = 1};
    if (view) {
        VkFilter f = s.linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
        MUST(vkCreateSampler(dev, &(VkSamplerCreateInfo){VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = f, .minFilter = f, .mipmapMode = s.linear_mips, .addressModeU = s.wrap_u,
            .addressModeV = s.wrap_v, .addressModeW = s.wrap_w, .anisotropyEnable = s.anisotropy > 0, .maxAnisotropy = s.anisotropy, .compareEnable = s.compare, .compareOp = s.compare_op,
            .maxLod = s.mips ? VK_LOD_CLAMP_NONE : 0, .borderColor = s.border}, 0, &sampler));
        w.dstBinding = 0;
        w.descriptorType = sampled;
        w.pImageInfo = &(VkDescriptorImageInfo){sampler, view, VK_IMAGE_LAYOUT_GENERAL};
        vkUpdateDescriptorSets(dev, 1, &w, 0, 0);
    }
    if (s.compute) {
        VkBuffer of[] = {data, result};
        for (int i = 0; i < 2; i++) {
            w.dstBinding = 1 + i;
            w.descriptorType = storage;
            w.pBufferInfo = &(VkDescriptorBufferInfo){of[i], 0, VK_WHOLE_SIZE};
            vkUpdateDescriptorSets(dev, 1, &w, 0, 0);
        }
    }
}

static VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits which, const uint32_t *code, uint32_t bytes) {
    static const VkSpecializationMapEntry entry = {0, 0, 4};
    static VkSpecializationInfo special;
    special = (VkSpecializationInfo){1, &entry, 4, &s.constant};
    VkShaderModule m;
    MUST(vkCreateShaderModule(dev, &(VkShaderModuleCreateInfo){VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code}, 0, &m));
    return (VkPipelineShaderStageCreateInfo){VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = which, .module = m, .pName = "main", .pSpecializationInfo = &special};
}

static void graphics(const uint32_t *vertex, const uint32_t *fragment) {
    VkPipelineShaderStageCreateInfo stages[2] = {stage(VK_SHADER_STAGE_VERTEX_BIT, vertex, s.vertex_bytes)};
    if (s.fragment_bytes)
        stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment, s.fragment_bytes);
    VkVertexInputAttributeDescription a[8];
    for (uint32_t i = 0; i < s.attributes; i++) {
        VkFormatProperties f;
        vkGetPhysicalDeviceFormatProperties(gpu, s.attribute_formats[i], &f);
        if (!(f.bufferFeatures & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT))
            stop("unsupported: vertex format");
        a[i] = (VkVertexInputAttributeDescription){i, 0, s.attribute_formats[i], s.attribute_offsets[i]};
    }
    VkPipelineColorBlendAttachmentState b[4];
    VkFormat formats[4];
    for (int i = 0; i < 4; i++) {
        b[i] = (VkPipelineColorBlendAttachmentState){s.blend, s.src_color, s.dst_color, s.color_op, s.src_alpha, s.dst_alpha, s.alpha_op, s.mask};
        formats[i] = s.color_format;
    }
    VkStencilOpState st = {s.fail, s.pass, s.depth_fail, s.stencil_compare, s.compare_mask, s.write_mask, s.reference};
    VkPipelineRenderingCreateInfo rendering = {VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, .colorAttachmentCount = s.colors, .pColorAttachmentFormats = formats};
    if (s.depth_format && aspects(s.depth_format) & VK_IMAGE_ASPECT_DEPTH_BIT)
        rendering.depthAttachmentFormat = s.depth_format;
    if (s.depth_format && aspects(s.depth_format) & VK_IMAGE_ASPECT_STENCIL_BIT)
        rendering.stencilAttachmentFormat = s.depth_format;
    MUST(vkCreateGraphicsPipelines(dev, 0, 1, &(VkGraphicsPipelineCreateInfo){VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering, .stageCount = s.fragment_bytes ? 2 : 1, .pStages = stages,
        .pVertexInputState = &(VkPipelineVertexInputStateCreateInfo){VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO, .vertexBindingDescriptionCount = s.attributes > 0,
            .pVertexBindingDescriptions = &(VkVertexInputBindingDescription){0, s.stride, VK_VERTEX_INPUT_RATE_VERTEX}, .vertexAttributeDescriptionCount = s.attributes, .pVertexAttributeDescriptions = a},
        .pInputAssemblyState = &(VkPipelineInputAssemblyStateCreateInfo){VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, 0, 0, s.topology, s.restart},
        .pViewportState = &(VkPipelineViewportStateCreateInfo){VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, 0, 0, 1, &(VkViewport){0, 0, s.side, s.side, 0, 1}, 1, &(VkRect2D){{0, 0}, {s.side, s.side}}},
        .pRasterizationState = &(VkPipelineRasterizationStateCreateInfo){VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .cullMode = s.cull, .lineWidth = 1},
        .pMultisampleState = &(VkPipelineMultisampleStateCreateInfo){VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = s.samples},
        .pDepthStencilState = &(VkPipelineDepthStencilStateCreateInfo){VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO, 0, 0, s.depth_test, s.depth_write, s.depth_compare, s.depth_bounds,
            s.stencil_test, st, st, 0.2f, 0.7f},
        .pColorBlendState = &(VkPipelineColorBlendStateCreateInfo){VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, 0, 0, s.logic, s.logic_op, s.colors, b, {0.2f, 0.4f, 0.6f, 0.8f}},
        .layout = layout}, 0, &pipeline));
    for (uint32_t i = 0; i < s.colors; i++)
        colors[i] = image((VkImageCreateInfo){.imageType = VK_IMAGE_TYPE_2D, .format = s.color_format, .extent = {s.side, s.side, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = s.samples,
            .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT},
            VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | (s.blend ? VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT : 0), VK_IMAGE_VIEW_TYPE_2D, &color_views[i]);
    if (s.depth_format)
        zbuffer = image((VkImageCreateInfo){.imageType = VK_IMAGE_TYPE_2D, .format = s.depth_format, .extent = {s.side, s.side, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = s.samples,
            .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT}, VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_VIEW_TYPE_2D, &z_view);
}

// record is one repetition of the work.
static void record(VkCommandBuffer c) {
    vkCmdBindDescriptorSets(c, s.compute ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, 0);
    vkCmdBindPipeline(c, s.compute ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    if (s.compute) {
        vkCmdDispatch(c, s.groups, 1, 1);
    } else {
        VkRenderingAttachmentInfo a[4], z = {VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageView = z_view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_STORE, .clearValue.depthStencil = {0.5f, 1}};
        for (int i = 0; i < 4; i++)
            a[i] = (VkRenderingAttachmentInfo){VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageView = color_views[i], .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
        VkImageAspectFlags of = zbuffer ? aspects(s.depth_format) : 0;
        vkCmdBeginRendering(c, &(VkRenderingInfo){VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {{0, 0}, {s.side, s.side}}, .layerCount = 1, .colorAttachmentCount = s.colors, .pColorAttachments = a,
            .pDepthAttachment = of & VK_IMAGE_ASPECT_DEPTH_BIT ? &z : 0, .pStencilAttachment = of & VK_IMAGE_ASPECT_STENCIL_BIT ? &z : 0});
        if (s.attributes)
            vkCmdBindVertexBuffers(c, 0, 1, &data, &(VkDeviceSize){0});
        if (s.indices) {
            vkCmdBindIndexBuffer(c, indices, 0, VK_INDEX_TYPE_UINT32);
            vkCmdDrawIndexed(c, s.indices, s.instances, 0, 0, 0);
        } else {
            vkCmdDraw(c, s.vertices, s.instances, 0, 0);
        }
        vkCmdEndRendering(c);
    }
    barrier(c, 0, 0, 0, 0);
}

static void layouts(VkCommandBuffer c) {
    for (uint32_t i = 0; i < s.colors; i++)
        barrier(c, colors[i], s.color_format, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    if (zbuffer)
        barrier(c, zbuffer, s.depth_format, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
}

static uint64_t clock_ns(clockid_t which) {
    struct timespec t;
    clock_gettime(which, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

// picture draws once more and hands on all that came of it: attachments of one sample or resolved, or the result of a dispatch.
static void picture(void) {
    VkCommandBuffer c = begin();
    VkDeviceSize at = 0, plane = (VkDeviceSize)s.side * s.side * 24; // any texels, at multiples of their sizes
    void *p = result_at;
    if (s.compute) {
        memcpy(data_at, first_data, s.data_bytes);
        memset(result_at, 0, s.data_bytes);
        at = s.data_bytes;
        record(c);
    } else {
        VkBuffer out = buffer(plane * 6, 0, &p);
        layouts(c);
        record(c);
        for (uint32_t i = 0; i < s.colors; i++, at += plane) {
            VkImage from = colors[i];
            if (s.samples > 1) {
                from = image((VkImageCreateInfo){.imageType = VK_IMAGE_TYPE_2D, .format = s.color_format, .extent = {s.side, s.side, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = 1,
                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT}, 0, 0, 0);
                barrier(c, from, s.color_format, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
                VkImageSubresourceLayers l = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
                vkCmdResolveImage(c, colors[i], VK_IMAGE_LAYOUT_GENERAL, from, VK_IMAGE_LAYOUT_GENERAL, 1, &(VkImageResolve){l, {0, 0, 0}, l, {0, 0, 0}, {s.side, s.side, 1}});
                barrier(c, 0, 0, 0, 0);
            }
            vkCmdCopyImageToBuffer(c, from, VK_IMAGE_LAYOUT_GENERAL, out, 1, &(VkBufferImageCopy){at, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0, 0, 0}, {s.side, s.side, 1}});
        }
        for (VkImageAspectFlags a = VK_IMAGE_ASPECT_DEPTH_BIT; a <= VK_IMAGE_ASPECT_STENCIL_BIT; a *= 2, at += plane)
            if (zbuffer && s.samples == 1 && aspects(s.depth_format) & a)
                vkCmdCopyImageToBuffer(c, zbuffer, VK_IMAGE_LAYOUT_GENERAL, out, 1, &(VkBufferImageCopy){at, 0, 0, {a, 0, 0, 1}, {0, 0, 0}, {s.side, s.side, 1}});
    }
    barrier(c, 0, 0, 0, 0);
    MUST(vkEndCommandBuffer(c));
    submit(c);
    printf("%llu\n", (unsigned long long)at);
    fwrite(p, at, 1, stdout);
    fflush(stdout);
}

int main(void) {
    if (fread(&s, sizeof s, 1, stdin) != 1)
        return 1;
    uint32_t *vertex = blob(s.vertex_bytes), *fragment = blob(s.fragment_bytes);
    first_data = blob(s.data_bytes);
    void *index = blob(s.index_bytes);
    open_device();
    VkImageView view = 0;
    if (s.texture_format)
        texture(&view);
    data = buffer(s.data_bytes, first_data, &data_at);
    indices = buffer(s.index_bytes, index, 0);
    result = buffer(s.data_bytes, 0, &result_at);
    describe(view);
    if (s.compute)
        MUST(vkCreateComputePipelines(dev, 0, 1, &(VkComputePipelineCreateInfo){VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, vertex, s.vertex_bytes), .layout = layout}, 0, &pipeline));
    else
        graphics(vertex, fragment);

    // As many repetitions a submission as take ten milliseconds of all threads.
    VkCommandBuffer c;
    unsigned n = 1;
    for (int round = 0;; round++) {
        c = begin();
        layouts(c);
        for (unsigned i = 0; i < n; i++)
            record(c);
        MUST(vkEndCommandBuffer(c));
        submit(c); // what is built at first use is built now
        uint64_t start = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
        submit(c);
        uint64_t took = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start;
        if (took >= 10000000 || n >= 1024)
            break;
        n *= took < 1000000 ? 8 : 2;
    }
    puts("ok");
    fflush(stdout);
    for (int letter; (letter = getchar()) != EOF;) {
        if (letter == 'p') {
            picture();
            continue;
        }
        uint64_t wall = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
        submit(c);
        printf("%g %g\n", (double)(clock_ns(CLOCK_MONOTONIC) - wall) / n, (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu) / n);
        fflush(stdout);
    }
    _exit(0);
}
