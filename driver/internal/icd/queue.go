package icd

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// Queue is a VkQueue.
type Queue struct {
	device *Device
	core   *core.Queue
	family uint32
	index  uint32
	flags  vk.DeviceQueueCreateFlags
	handle unsafe.Pointer

	mu      sync.Mutex
	pending []submission
	running bool        // loop runs
	awaits  atomic.Bool // its first batch waits for a semaphore, or for a window
}

// addQueues makes the queues that vkCreateDevice asks for.
func (d *Device) addQueues(infos []abi.DeviceQueueCreateInfo) vk.Result {
	for i := range infos {
		info := &infos[i]
		if info.QueueFamilyIndex >= uint32(len(queueFamilies)) || info.QueueCount > queueFamilies[info.QueueFamilyIndex].QueueCount {
			return vk.ErrorInitializationFailed
		}
		if g := abi.Find[abi.DeviceQueueGlobalPriorityCreateInfo](info.PNext); g != nil && !slices.Contains(globalPriorities[:], g.GlobalPriority) {
			return vk.ErrorNotPermitted
		}
		for n := range info.QueueCount {
			d.queues = append(d.queues, &Queue{device: d, family: info.QueueFamilyIndex, index: n, flags: info.Flags})
		}
	}
	return vk.Success
}

// enrollQueues gives the queues their handles.
func (d *Device) enrollQueues() bool {
	for _, q := range d.queues {
		q.core = d.core.NewQueue()
		if q.handle = enroll(d.driver, &d.driver.queues, q, abi.LevelQueue); q.handle == nil {
			return false
		}
	}
	return true
}

func (d *Device) queue(family, index uint32, flags vk.DeviceQueueCreateFlags) abi.Queue {
	for _, q := range d.queues {
		if q.family == family && q.index == index && q.flags == flags {
			return abi.Queue(q.handle)
		}
	}
	return nil
}

// GetDeviceQueue is vkGetDeviceQueue.
func (d *Device) GetDeviceQueue(a *abi.GetDeviceQueueArgs) {
	*a.PQueue = d.queue(a.QueueFamilyIndex, a.QueueIndex, 0)
}

// GetDeviceQueue2 is vkGetDeviceQueue2.
func (d *Device) GetDeviceQueue2(a *abi.GetDeviceQueue2Args) {
	i := a.PQueueInfo
	*a.PQueue = d.queue(i.QueueFamilyIndex, i.QueueIndex, i.Flags)
}
