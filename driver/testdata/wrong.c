/* Two mistakes for the validation layer to hear of: an offset that is no multiple of 4, and two writes without a barrier
   between them. Nothing is submitted. */
#include "client.h"

int main(int argc, char **argv) {
	open_instance(argc, argv, VK_API_VERSION_1_1);
	open_device(NULL, 2, NULL, 0);
	struct buffer b = new_buffer(64, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
	VkCommandPool pool = new_pool(0);
	VkCommandBuffer c = new_commands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	CHECK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
	vkCmdFillBuffer(c, b.handle, 0, 32, 1);
	vkCmdFillBuffer(c, b.handle, 0, 32, 2);
	vkCmdFillBuffer(c, b.handle, 34, 4, 3);
	CHECK(vkEndCommandBuffer(c));
	vkDestroyCommandPool(device, pool, NULL);
	free_buffer(b);
	return close_all();
}
