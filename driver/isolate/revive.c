/* Instances whose helper has died live on: the first call on one of them, or on its physical device, makes the same instance
   with a new helper, and goes there. Devices do not: they are lost. */
#include <sched.h>
#include <stdlib.h>

#include "link.h"

struct instance {
	struct instance *next;
	VkInstance handle, successor;
	VkPhysicalDevice physical, successor_physical;
	struct pumice_CreateInstance *create; /* with all that its pointers lead to */
};

static struct instance *instances;
static uint32_t busy;

static void lock(void) {
	while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}
static void unlock(void) { __atomic_store_n(&busy, 0, __ATOMIC_RELEASE); }

static VkPhysicalDevice physical_of(VkInstance instance) {
	VkPhysicalDevice p = NULL;
	uint32_t n = 1;
	struct pumice_EnumeratePhysicalDevices a = {.instance = instance, .pPhysicalDeviceCount = &n, .pPhysicalDevices = &p, .ret = VK_ERROR_DEVICE_LOST};
	pumiceCall(PUMICE_OP_EnumeratePhysicalDevices, &a);
	return a.ret == VK_SUCCESS ? p : NULL;
}

/* Without memory for a record there is no successor: the instance is as lost as its devices. */
void revive_note(const struct pumice_CreateInstance *a) {
	struct instance *i = calloc(1, sizeof *i);
	if (!i || !(i->create = wire_copy(PUMICE_OP_CreateInstance, a))) {
		free(i);
		return;
	}
	i->handle = *a->pInstance;
	i->physical = physical_of(i->handle);
	lock();
	i->next = instances;
	instances = i;
	unlock();
}

void revive_forget(const void *instance) {
	struct instance **at = &instances, *i;
	lock();
	while ((i = *at) && i->handle != instance)
		at = &i->next;
	if (i)
		*at = i->next;
	unlock();
	if (!i)
		return;
	if (i->successor) {
		struct pumice_DestroyInstance a = {.instance = i->successor};
		pumiceCall(PUMICE_OP_DestroyInstance, &a);
	}
	free(i->create);
	free(i);
}

const void *revive(const void *object) {
	const void *to = NULL;
	lock();
	struct instance *i = instances;
	while (i && i->handle != object && i->physical != object)
		i = i->next;
	if (i && i->successor) {
		struct link *l = link_of(i->successor);
		if (!l || !link_alive(l)) {
			struct pumice_DestroyInstance a = {.instance = i->successor};
			i->successor = NULL;
			pumiceCall(PUMICE_OP_DestroyInstance, &a);
		}
	}
	if (i && !i->successor) {
		VkInstance made = NULL;
		struct pumice_CreateInstance a = *i->create;
		a.pInstance = &made;
		a.ret = VK_ERROR_INITIALIZATION_FAILED;
		pumiceCall(PUMICE_OP_CreateInstance | REVIVE_QUIETLY, &a);
		if (a.ret == VK_SUCCESS && (i->successor_physical = physical_of(made)))
			i->successor = made;
	}
	if (i && i->successor)
		to = i->handle == object ? (const void *)i->successor : (const void *)i->successor_physical;
	unlock();
	return to;
}
