package icd

import (
	"fmt"
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

// queue is the one that the device was made with. Tools that replay what a program did ask for a
// queue of the first family that draws, where the program has one of another: they get the device's
// first queue, if it does no less, and are told. Of a family that the device has there is no other.
func (d *Device) queue(family, index uint32, flags vk.DeviceQueueCreateFlags) abi.Queue {
	asked := false
	for _, q := range d.queues {
		if q.family == family && q.index == index && q.flags == flags {
			return abi.Queue(q.handle)
		}
		asked = asked || q.family == family
	}
	if asked || family >= uint32(len(queueFamilies)) || len(d.queues) == 0 {
		return nil
	}
	q := d.queues[0]
	if does := queueFamilies[family].QueueFlags; queueFamilies[q.family].QueueFlags&does != does {
		return nil
	}
	d.instance.message(core.Message{
		Severity: core.SeverityWarning, Rule: "VUID-vkGetDeviceQueue-queueFamilyIndex-00384",
		Text: fmt.Sprintf("vkGetDeviceQueue: the device was created without queues of family %d; "+
			"this is its queue of family %d", family, q.family),
	})
	return abi.Queue(q.handle)
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
