/* Samples whole images of several formats with several samplers, and writes all
   texels that it gets to standard output as binary32, for comparison between
   drivers. */
#include "client.h"

enum { SIDE = 32, LEVELS = 6, PLACES = 64 * 64 };

static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R32G32B32A32_SFLOAT};
static const VkSamplerAddressMode modes[] = {VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
					     VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER};

static uint32_t noise(void) {
	static uint32_t x = 1;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

int main(int argc, char **argv) {
	open_instance(argc, argv, VK_API_VERSION_1_1);
	open_device(NULL, 1, NULL, 0);
	VkQueue queue;
	vkGetDeviceQueue(device, 0, 0, &queue);
	VkDescriptorSetLayoutBinding bindings[] = {{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
						   {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
	VkDescriptorSetLayout set_layout;
	CHECK(vkCreateDescriptorSetLayout(device,
					  &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
									     .bindingCount = COUNT(bindings),
									     .pBindings = bindings},
					  NULL, &set_layout));
	VkPipelineLayout layout;
	CHECK(vkCreatePipelineLayout(
		device,
		&(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout},
		NULL, &layout));
	VkPipeline pipeline = new_compute_pipeline(layout, "sampled.comp");
	VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
	VkDescriptorPool descriptors;
	CHECK(vkCreateDescriptorPool(device,
				     &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
								   .maxSets = 1,
								   .poolSizeCount = COUNT(sizes),
								   .pPoolSizes = sizes},
				     NULL, &descriptors));
	VkDescriptorSet set;
	CHECK(vkAllocateDescriptorSets(device,
				       &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
								      .descriptorPool = descriptors,
								      .descriptorSetCount = 1,
								      .pSetLayouts = &set_layout},
				       &set));
	struct buffer out = new_buffer(PLACES * 16, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL);
	struct buffer in = new_buffer(SIDE * SIDE * 16 * 2, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
	VkCommandPool pool = new_pool(0);
	for (uint32_t f = 0; f < COUNT(formats); f++) {
		struct image m = new_levels(formats[f], SIDE, SIDE, LEVELS, VK_SAMPLE_COUNT_1_BIT,
					    VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
		uint32_t texel = formats[f] == VK_FORMAT_R32G32B32A32_SFLOAT ? 16 : 4;
		VkBufferImageCopy copies[LEVELS];
		uint32_t used = 0;
		for (uint32_t l = 0; l < LEVELS; l++) {
			uint32_t n = SIDE >> l;
			copies[l] = (VkBufferImageCopy){.bufferOffset = used,
							.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, l, 0, 1},
							.imageExtent = {n, n, 1}};
			for (uint32_t i = 0; i < n * n * 4; i++) {
				uint32_t v = noise() & 255;
				if (texel == 16)
					((float *)in.mapped)[used / 4 + i] = (float)v / 255;
				else
					((uint8_t *)in.mapped)[used + i] = (uint8_t)v;
			}
			used += n * n * texel;
		}
		for (uint32_t s = 0; s < 3 * COUNT(modes); s++) {
			VkFilter filter = s % 3 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
			VkSampler sampler;
			CHECK(vkCreateSampler(device,
					      &(VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
								     .magFilter = filter,
								     .minFilter = filter,
								     .mipmapMode = s % 3 == 2 ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST,
								     .addressModeU = modes[s / 3],
								     .addressModeV = modes[s / 3],
								     .addressModeW = modes[s / 3],
								     .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE,
								     .maxLod = LEVELS},
					      NULL, &sampler));
			VkDescriptorImageInfo image = {sampler, m.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
			VkDescriptorBufferInfo texels = {out.handle, 0, VK_WHOLE_SIZE};
			VkWriteDescriptorSet writes[] = {{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
							  .dstSet = set,
							  .descriptorCount = 1,
							  .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
							  .pImageInfo = &image},
							 {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
							  .dstSet = set,
							  .dstBinding = 1,
							  .descriptorCount = 1,
							  .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
							  .pBufferInfo = &texels}};
			vkUpdateDescriptorSets(device, COUNT(writes), writes, 0, NULL);
			VkCommandBuffer c = new_commands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
			CHECK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
			VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
						  .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
						  .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
						  .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
						  .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
						  .image = m.handle,
						  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, LEVELS, 0, 1}};
			vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &b);
			vkCmdCopyBufferToImage(c, in.handle, m.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, LEVELS, copies);
			b.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT, b.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
			b.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, b.newLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
			vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 0, NULL, 1, &b);
			vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
			vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
			vkCmdDispatch(c, PLACES / 64, 1, 1);
			VkMemoryBarrier host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
						.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
						.dstAccessMask = VK_ACCESS_HOST_READ_BIT};
			vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &host, 0, NULL, 0, NULL);
			CHECK(vkEndCommandBuffer(c));
			CHECK(vkQueueSubmit(
				queue, 1,
				&(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c},
				VK_NULL_HANDLE));
			CHECK(vkQueueWaitIdle(queue));
			fwrite(out.mapped, 16, PLACES, stdout);
			vkFreeCommandBuffers(device, pool, 1, &c);
			vkDestroySampler(device, sampler, NULL);
		}
		free_image(m);
	}
	vkDestroyCommandPool(device, pool, NULL);
	free_buffer(out);
	free_buffer(in);
	vkDestroyDescriptorPool(device, descriptors, NULL);
	vkDestroyPipeline(device, pipeline, NULL);
	vkDestroyPipelineLayout(device, layout, NULL);
	vkDestroyDescriptorSetLayout(device, set_layout, NULL);
	return close_all();
}
