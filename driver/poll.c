//go:build linux || windows

/* Answers that need no call into Go, which costs half a microsecond for the sake of
   signals (signals.c). */
#include "front.h"

#ifdef PUMICE_FRONT
int pumice_board_is_stale(const struct pumice_device *d, const struct pumice_board *b);
#endif

static struct pumice_board *board_of(VkDevice device) {
	const struct pumice_device *d = (const struct pumice_device *)device;
	if (!d || d->kind != 3 /* abi.LevelDevice */ || !d->id || pumice_forked)
		return NULL;
	struct pumice_board *b = __atomic_load_n(&d->board, __ATOMIC_RELAXED);
#ifdef PUMICE_FRONT /* who asks nothing but this would not see that the helper is dead */
	if (pumice_board_is_stale(d, b))
		return NULL;
#endif
	return b;
}

/* see reads the value of an object, if the board has it. A lost device shows nothing:
   it tells so in Go. */
static int see(struct pumice_board *b, struct pumice_poll *list, uint64_t handle, uint64_t *value) {
	uint32_t i = (uint32_t)handle - 1;
	if (!b || i >= PUMICE_POLLS || __atomic_load_n(&list[i].handle, __ATOMIC_ACQUIRE) != handle)
		return 0;
	*value = __atomic_load_n(&list[i].value, __ATOMIC_ACQUIRE);
	return __atomic_load_n(&list[i].handle, __ATOMIC_ACQUIRE) == handle && !__atomic_load_n(&b->lost, __ATOMIC_ACQUIRE);
}

VkResult pumice_see_GetFenceStatus(VkDevice device, VkFence fence) {
	struct pumice_board *b = board_of(device);
	uint64_t signaled;
	if (!b || !see(b, b->fences, (uint64_t)fence, &signaled))
		return PUMICE_ASK;
	return signaled ? VK_SUCCESS : VK_NOT_READY;
}

/* The board has what the fences that it shows are: Go has no other. */
VkResult pumice_see_ResetFences(VkDevice device, uint32_t count, const VkFence *fences) {
	struct pumice_board *b = board_of(device);
	uint64_t signaled;
#ifdef PUMICE_FRONT /* it is the helper's */
	return PUMICE_ASK;
#endif
	for (uint32_t i = 0; i < count; i++)
		if (!b || !fences || !see(b, b->fences, (uint64_t)fences[i], &signaled))
			return PUMICE_ASK;
	for (uint32_t i = 0; i < count; i++)
		__atomic_store_n(&b->fences[(uint32_t)fences[i] - 1].value, 0, __ATOMIC_RELEASE);
	return VK_SUCCESS;
}

VkResult pumice_see_GetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t *value) {
	struct pumice_board *b = board_of(device);
	return b && value && see(b, b->semaphores, (uint64_t)semaphore, value) ? VK_SUCCESS : PUMICE_ASK;
}

/* wait is VK_SUCCESS when all of the objects, or one of them, have at least their values: 1 where there are none. The thread
   sleeps here meanwhile, and the host's handlers of signals run. */
static VkResult wait(struct pumice_board *b, struct pumice_poll *list, uint32_t count, const uint64_t *objects, const uint64_t *values,
		     int all, uint64_t timeout) {
	struct pumice_wait w = {.word = b->word, .until = pumice_after(timeout)};
	for (int over = !timeout;; over = pumice_now() >= w.until) {
		uint32_t ready = 0;
		w.seen = __atomic_load_n(w.word, __ATOMIC_SEQ_CST); /* before the state is looked at */
		for (uint32_t i = 0; i < count; i++) {
			uint64_t value;
			if (!see(b, list, objects[i], &value))
				return PUMICE_ASK;
			ready += value >= (values ? values[i] : 1);
		}
		if (all ? ready == count : ready > 0)
			return VK_SUCCESS;
		if (over)
			return VK_TIMEOUT;
#ifdef PUMICE_FRONT /* the word is the helper's */
		return PUMICE_ASK;
#endif
		pumice_sleep(&w);
	}
}

VkResult pumice_see_WaitForFences(VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t timeout) {
	struct pumice_board *b = board_of(device);
	if (!b || !count || !fences)
		return PUMICE_ASK;
	return wait(b, b->fences, count, fences, NULL, all != VK_FALSE, timeout);
}

VkResult pumice_see_WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout) {
	struct pumice_board *b = board_of(device);
	if (!b || !info || !info->semaphoreCount || !info->pSemaphores || !info->pValues)
		return PUMICE_ASK;
	return wait(b, b->semaphores, info->semaphoreCount, info->pSemaphores, info->pValues,
		    !(info->flags & 1 /* VK_SEMAPHORE_WAIT_ANY_BIT */), timeout);
}

/* Descriptors of buffers are what the program says of them, and name no object: core.memoryWords. Programs that keep their
   descriptors in memory, as zink does, ask for some with each draw. */
VkResult pumice_see_GetDescriptorEXT(VkDevice device, const VkDescriptorGetInfoEXT *info, size_t size, void *descriptor) {
	const struct pumice_board *b = board_of(device);
	uint64_t words[4] = {0};
	if (!b || __atomic_load_n(&b->lost, __ATOMIC_ACQUIRE) || !info || !descriptor || size < sizeof words ||
	    info->type < VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || info->type > VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)
		return PUMICE_ASK;
	const VkDescriptorAddressInfoEXT *of = info->data.pUniformBuffer; /* the same for all four types */
	if (of && of->address) {
		const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15), tag = (uint64_t)info->type + 1, format = (uint32_t)of->format;
		const uint64_t summed[] = {tag | format << 32, of->address, of->range};
		uint64_t sum = odd;
		for (int i = 0; i < 3; i++) {
			sum = (sum ^ summed[i]) * odd;
			sum ^= sum >> 29;
		}
		words[0] = tag | sum >> 32 << 32;
		words[1] = of->address;
		words[2] = of->range;
		words[3] = format;
	}
	memcpy(descriptor, words, sizeof words);
	return VK_SUCCESS;
}
