package icd

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// CommandPool is a VkCommandPool.
type CommandPool struct {
	device *Device
	family uint32
	flags  vk.CommandPoolCreateFlags

	mu      sync.Mutex
	buffers map[*CommandBuffer]struct{}
}

// CommandBuffer is a VkCommandBuffer. While it is recorded, C puts records into
// the stream's memory; vkEndCommandBuffer decodes them.
type CommandBuffer struct {
	device *Device
	pool   *CommandPool
	level  vk.CommandBufferLevel
	stream *abi.Stream // what the handle points to

	records, copies arena
	templates       []pushedTemplate
	begun           bool
	inherited       core.Inheritance    // of a secondary one
	commands        *core.CommandBuffer // of the last vkEndCommandBuffer
}

// CreateCommandPool is vkCreateCommandPool.
func (d *Device) CreateCommandPool(a *abi.CreateCommandPoolArgs) vk.Result {
	i := a.PCreateInfo
	p := &CommandPool{device: d, family: i.QueueFamilyIndex, flags: i.Flags, buffers: map[*CommandBuffer]struct{}{}}
	return created(&d.commandPools, a.PCommandPool, p, nil)
}

// DestroyCommandPool is vkDestroyCommandPool.
func (d *Device) DestroyCommandPool(a *abi.DestroyCommandPoolArgs) {
	if p := d.commandPools.Take(uint64(a.CommandPool)); p != nil {
		p.close()
	}
}

// close frees all buffers of the pool.
func (p *CommandPool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.buffers {
		c.close()
	}
	clear(p.buffers)
}

// ResetCommandPool is vkResetCommandPool.
func (d *Device) ResetCommandPool(a *abi.ResetCommandPoolArgs) vk.Result {
	p := d.commandPools.Get(uint64(a.CommandPool))
	if p == nil {
		return vk.ErrorUnknown
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.buffers {
		c.reset()
	}
	return vk.Success
}

// TrimCommandPool is vkTrimCommandPool: memory goes back at each reset anyway.
func (d *Device) TrimCommandPool(*abi.TrimCommandPoolArgs) {}

// AllocateCommandBuffers is vkAllocateCommandBuffers.
func (d *Device) AllocateCommandBuffers(a *abi.AllocateCommandBuffersArgs) vk.Result {
	i := a.PAllocateInfo
	out := abi.Slice(a.PCommandBuffers, i.CommandBufferCount)
	clear(out)
	p := d.commandPools.Get(uint64(i.CommandPool))
	if p == nil {
		return vk.ErrorUnknown
	}
	for n := range out {
		c := &CommandBuffer{device: d, pool: p, level: i.Level}
		var h unsafe.Pointer
		if n%1024 != 0 || !memory.HeapShort(callHeap) {
			h = enroll(d.driver, &d.driver.commandBuffers, c, abi.LevelCommandBuffer)
		}
		if h == nil {
			p.free(out[:n])
			clear(out)
			return vk.ErrorOutOfHostMemory
		}
		c.stream = (*abi.Stream)(h)
		p.mu.Lock()
		p.buffers[c] = struct{}{}
		p.mu.Unlock()
		out[n] = abi.CommandBuffer(h)
	}
	return vk.Success
}

// FreeCommandBuffers is vkFreeCommandBuffers.
func (d *Device) FreeCommandBuffers(a *abi.FreeCommandBuffersArgs) {
	if p := d.commandPools.Get(uint64(a.CommandPool)); p != nil {
		p.free(abi.Slice(a.PCommandBuffers, a.CommandBufferCount))
	}
}

func (p *CommandPool) free(handles []abi.CommandBuffer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range handles {
		c := resolve(&p.device.driver.commandBuffers, unsafe.Pointer(h), abi.LevelCommandBuffer)
		if c == nil || c.pool != p {
			continue
		}
		delete(p.buffers, c)
		c.close()
	}
}

// close gives the handle and the memory up.
func (c *CommandBuffer) close() {
	c.reset()
	expel(c.device.driver, &c.device.driver.commandBuffers, unsafe.Pointer(c.stream), abi.LevelCommandBuffer)
}

// reset brings the buffer to the initial state.
func (c *CommandBuffer) reset() {
	c.dropRecords()
	c.begun, c.commands, c.inherited = false, nil, core.Inheritance{}
	c.stream.Result = vk.Success
}

// BeginCommandBuffer is vkBeginCommandBuffer.
func (c *CommandBuffer) BeginCommandBuffer(a *abi.BeginCommandBufferArgs) vk.Result {
	c.reset()
	c.begun = true
	if c.level == vk.CommandBufferLevelSecondary {
		c.inherited = c.device.inheritance(a.PBeginInfo)
	}
	return vk.Success
}

// ResetCommandBuffer is vkResetCommandBuffer.
func (c *CommandBuffer) ResetCommandBuffer(*abi.ResetCommandBufferArgs) vk.Result {
	c.reset()
	return vk.Success
}

// EndCommandBuffer is vkEndCommandBuffer: the one crossing of a command buffer
// from C to Go. Running out of memory comes out here; commands that break rules
// are left out.
func (c *CommandBuffer) EndCommandBuffer(*abi.EndCommandBufferArgs) vk.Result {
	c.stream.Hold()
	begun := c.begun
	c.begun = false
	c.closeRecords()
	records, copies := c.records, c.copies // nobody else's, whatever other threads do
	copied := &records
	c.records, c.copies = arena{}, arena{}
	c.stream.Release()
	if !begun {
		return vk.ErrorValidationFailed
	}
	defer func() {
		records.free(c.device.driver)
		copies.free(c.device.driver)
		c.templates = nil
	}()
	if r := c.stream.Result; r != vk.Success {
		return r
	}
	if c.device.driver.isolated() {
		own, err := records.checked(c.device.driver, &copies)
		if err != nil {
			c.device.driver.distrust(err)
			return vk.ErrorValidationFailed
		}
		copied = own
	}
	r := &Recorder{device: c.device}
	if c.level == vk.CommandBufferLevelSecondary {
		r.core = c.device.core.NewSecondaryCommandBuffer(c.inherited)
	} else {
		r.core = c.device.core.NewCommandBuffer()
	}
	r.core.Tolerate()
	decoded := copied.decode(c, r)
	if runtime.KeepAlive(copied); !decoded {
		return vk.ErrorOutOfHostMemory
	}
	if r.core.Finish("vkEndCommandBuffer"); r.core.Err() == nil {
		c.commands = r.core
	}
	return result(r.core.Err())
}
