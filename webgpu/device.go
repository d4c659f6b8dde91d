package webgpu

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gogpu/gputypes"
	"github.com/gogpu/wgpu/hal"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// device makes objects. Bind groups name theirs by numbers, which the device hands out and keeps.
type device struct {
	dev     *pumice.Device
	backend *backend

	mu      sync.Mutex
	handles map[uintptr]any
}

// A handle is the number of an object that bind groups can name.
type handle struct {
	d  *device
	id uintptr
}

func (h *handle) NativeHandle() uintptr { return h.id }

// named gives an object a number.
func (d *device) named(object any) handle {
	h := handle{d, lastHandle.Add(1)}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.handles[h.id] = object
	return h
}

// forget ends a number.
func (h *handle) forget() {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	delete(h.d.handles, h.id)
}

// of is the object of a number, nil where there is none.
func (d *device) of(id uintptr) any {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.handles[id]
}

// Destroy closes the device with all that it has made.
func (d *device) Destroy() { _ = d.dev.Close() }

func (d *device) WaitIdle() error {
	return failed("Device.WaitIdle", "", d.dev.Wait(context.Background()))
}

// A buffer is one of Pumice's, which has a multiple of four bytes, for clears.
type buffer struct {
	handle
	buf  *pumice.Buffer
	size uint64 // as asked for
}

func (d *device) CreateBuffer(desc *hal.BufferDescriptor) (hal.Buffer, error) {
	const op = "Device.CreateBuffer"
	if desc.Usage.Contains(gputypes.BufferUsageQueryResolve) {
		return nil, missing(op, desc.Label, "query sets here, whose results the buffer is for")
	}
	size := max(desc.Size, 4)
	if size += -size & 3; size < desc.Size {
		return nil, failed(op, desc.Label, pumice.ErrOutOfMemory)
	}
	x, err := d.dev.NewBuffer(pumice.BufferDesc{Size: size, Name: desc.Label})
	if err != nil {
		return nil, failed(op, desc.Label, err)
	}
	b := &buffer{buf: x, size: desc.Size}
	b.handle = d.named(b)
	return b, nil
}

func (b *buffer) Destroy() {
	b.forget()
	_ = b.buf.Close()
}

func (d *device) DestroyBuffer(b hal.Buffer) { destroy(b) }

// destroy destroys an object that may be none.
func destroy(r hal.Resource) {
	if r != nil {
		r.Destroy()
	}
}

// MapBuffer returns the buffer's memory itself. Queue.Submit waits, so that nothing else uses it.
func (d *device) MapBuffer(hb hal.Buffer, offset, size uint64) (hal.BufferMapping, error) {
	const op = "Device.MapBuffer"
	b, ok := hb.(*buffer)
	if !ok || b.d != d {
		return hal.BufferMapping{}, foreign(op, "", "buffer")
	}
	if offset > b.size || size > b.size-offset {
		return hal.BufferMapping{}, &Error{Op: op, Err: hal.ErrInvalidMapRange}
	}
	mem := b.buf.Bytes()
	if mem == nil {
		return hal.BufferMapping{}, failed(op, "", pumice.ErrClosed)
	}
	return hal.BufferMapping{
		Ptr:        unsafe.Pointer(&mem[min(offset, uint64(len(mem)-1))]),
		IsCoherent: true,
	}, nil
}

func (d *device) UnmapBuffer(hal.Buffer) error { return nil }

type sampler struct {
	handle
	s *pumice.Sampler
}

func (d *device) CreateSampler(desc *hal.SamplerDescriptor) (hal.Sampler, error) {
	s := pumice.SamplerDesc{
		MagFilter: filterOf(desc.MagFilter), MinFilter: filterOf(desc.MinFilter),
		AddressModeU: addressOf(
			desc.AddressModeU,
		), AddressModeV: addressOf(desc.AddressModeV), AddressModeW: addressOf(desc.AddressModeW),
		MinLod: desc.LodMinClamp, MaxLod: desc.LodMaxClamp, NoMips: desc.LodMaxClamp == 0,
	}
	if desc.MipmapFilter == gputypes.FilterModeLinear {
		s.MipmapMode = vk.SamplerMipmapModeLinear
	}
	if desc.Anisotropy > 1 {
		s.MaxAnisotropy = min(float32(desc.Anisotropy), d.dev.Limits().MaxSamplerAnisotropy)
	}
	if desc.Compare != gputypes.CompareFunctionUndefined {
		s.CompareEnable, s.CompareOp = true, compareOf(desc.Compare)
	}
	x, err := d.dev.NewSampler(s)
	if err != nil {
		return nil, failed("Device.CreateSampler", desc.Label, err)
	}
	r := &sampler{s: x}
	r.handle = d.named(r)
	return r, nil
}

func (s *sampler) Destroy() {
	s.forget()
	_ = s.s.Close()
}

func (d *device) DestroySampler(s hal.Sampler) { destroy(s) }

// CreateQuerySet always fails: nothing in Pumice's Go API brings results of queries to buffers, and
// WebGPU no others.
func (d *device) CreateQuerySet(desc *hal.QuerySetDescriptor) (hal.QuerySet, error) {
	const op = "Device.CreateQuerySet"
	if desc.Type == hal.QueryTypeTimestamp {
		return nil, &Error{
			Op:      op,
			Label:   desc.Label,
			Missing: "timestamp queries here",
			Err:     &asHAL{pumice.ErrUnsupported, hal.ErrTimestampsNotSupported},
		}
	}
	return nil, missing(op, desc.Label, "occlusion queries here")
}

func (d *device) DestroyQuerySet(q hal.QuerySet) { destroy(q) }

// A fence is a number: whatever was submitted is done when Submit returns.
type fence struct{ value atomic.Uint64 }

func (f *fence) Destroy() {}

func (d *device) CreateFence() (hal.Fence, error) { return &fence{}, nil }

func (d *device) DestroyFence(hal.Fence) {}

func (d *device) Wait(hf hal.Fence, value uint64, _ time.Duration) (bool, error) {
	f, ok := hf.(*fence)
	if !ok {
		return false, foreign("Device.Wait", "", "fence")
	}
	return f.value.Load() >= value, nil
}

func (d *device) ResetFence(hf hal.Fence) error {
	f, ok := hf.(*fence)
	if !ok {
		return foreign("Device.ResetFence", "", "fence")
	}
	f.value.Store(0)
	return nil
}

func (d *device) GetFenceStatus(hf hal.Fence) (bool, error) {
	f, ok := hf.(*fence)
	if !ok {
		return false, foreign("Device.GetFenceStatus", "", "fence")
	}
	return f.value.Load() > 0, nil
}
