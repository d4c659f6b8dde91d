package core

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/memory.comp.spv testdata/memory.comp
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/memory.frag.spv testdata/memory.frag

// memoryKit is memory.comp with its first set in memory, and all that its descriptors name.
type memoryKit struct {
	d        *Device
	layout   *DescriptorSetLayout
	pipeline *Pipeline
	second   *DescriptorSet
	out      *Buffer

	set     *Buffer // where the set lies, from setAt on
	setAt   uint64
	buffers []*Buffer // two uniform buffers, a storage buffer, texels, cells
	address []uint64  // of buffers
	image   *Image
	view    *ImageView
	sampler *Sampler
}

// memoryTypes are the types of the set's bindings, but the last.
var memoryTypes = []Binding{
	{Binding: 0, Type: vk.DescriptorTypeUniformBuffer, Count: 2},
	{Binding: 2, Type: vk.DescriptorTypeStorageBuffer},
	{Binding: 3, Type: vk.DescriptorTypeCombinedImageSampler},
	{Binding: 4, Type: vk.DescriptorTypeSampledImage},
	{Binding: 5, Type: vk.DescriptorTypeSampler},
	{Binding: 6, Type: vk.DescriptorTypeStorageImage},
	{Binding: 7, Type: vk.DescriptorTypeUniformTexelBuffer},
	{Binding: 8, Type: vk.DescriptorTypeStorageTexelBuffer},
}

func newMemoryKit(t testing.TB, d *Device) *memoryKit {
	k := &memoryKit{d: d, setAt: 2 * DescriptorAlignment}
	k.layout = must(d.NewDescriptorSetLayout(append(slices.Clone(memoryTypes), Binding{Binding: 9, Type: vk.DescriptorTypeInlineUniformBlock, Count: 16})))(t)
	outs := must(d.NewDescriptorSetLayout([]Binding{{Type: vk.DescriptorTypeStorageBuffer}}))(t)
	k.pipeline = must(d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "memory.comp")},
		Layout: must(d.NewPipelineLayout([]*DescriptorSetLayout{k.layout, outs}))(t)}))(t)
	k.out = bufferOf(t, d, make([]uint32, 10)...)
	k.second = must(d.NewDescriptorSet(outs, ""))(t)
	if err := k.second.Write(0, 0, []Descriptor{{Buffer: k.out}}); err != nil {
		t.Fatal(err)
	}
	k.set = bufferOf(t, d, make([]uint32, (k.setAt+k.layout.MemorySize())/4)...)
	for _, values := range [][]uint32{{10}, {11}, {20, 21, 22}, {30, 31}, {40, 41}} {
		b := bufferOf(t, d, values...)
		k.buffers = append(k.buffers, b)
		k.address = append(k.address, must(b.DeviceAddress())(t))
	}
	k.image = must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR32Uint, Extent: vk.Extent3D{Width: 2}}, nil, 0, ""))(t)
	fillTwo(k.image, 50, 51)
	k.view = must(d.NewImageView(k.image, resource.ViewDesc{}, ""))(t)
	k.sampler = must(d.NewSampler(vk.SamplerCreateInfo{}, 0))(t)
	return k
}

func fillTwo(im *Image, a, b uint32) {
	binary.LittleEndian.PutUint32(im.res.Data, a)
	binary.LittleEndian.PutUint32(im.res.Data[4:], b)
}

// descriptors are those of the set, in the order of memoryTypes.
func (k *memoryKit) descriptors() []MemoryDescriptor {
	return []MemoryDescriptor{
		{Type: vk.DescriptorTypeUniformBuffer, Address: k.address[0], Range: 4},
		{Type: vk.DescriptorTypeUniformBuffer, Address: k.address[1], Range: 4},
		{Type: vk.DescriptorTypeStorageBuffer, Address: k.address[2], Range: 12},
		{Type: vk.DescriptorTypeCombinedImageSampler, View: k.view, Sampler: k.sampler},
		{Type: vk.DescriptorTypeSampledImage, View: k.view},
		{Type: vk.DescriptorTypeSampler, Sampler: k.sampler},
		{Type: vk.DescriptorTypeStorageImage, View: k.view},
		{Type: vk.DescriptorTypeUniformTexelBuffer, Address: k.address[3], Range: 8, Format: vk.FormatR32Uint},
		{Type: vk.DescriptorTypeStorageTexelBuffer, Address: k.address[4], Range: 8, Format: vk.FormatR32Uint},
	}
}

// at is the memory of descriptor i.
func (k *memoryKit) at(i int) []byte {
	from := int(k.setAt) + i*DescriptorBytes
	return k.set.Bytes()[from : from+DescriptorBytes]
}

// put writes all descriptors.
func (k *memoryKit) put(t testing.TB) {
	t.Helper()
	for i, w := range k.descriptors() {
		if err := k.d.PutDescriptor(k.at(i), w); err != nil {
			t.Fatal(err)
		}
	}
	binary.LittleEndian.PutUint32(k.at(9)[4:], 60)
}

// bind binds both sets: descriptor buffer 1 begins where the buffer does.
func (k *memoryKit) bind(t testing.TB, c *CommandBuffer) {
	c.BindPipeline("bind", vk.PipelineBindPointCompute, k.pipeline)
	c.BindDescriptorBuffers("buffers", []uint64{0, must(k.set.DeviceAddress())(t)})
	c.SetDescriptorBufferOffset("offset", vk.PipelineBindPointCompute, 0, k.layout, 1, k.setAt)
	c.BindDescriptorSetLate("bind", vk.PipelineBindPointCompute, 1, k.second, nil)
}

// run runs the shader and returns what it saw.
func (k *memoryKit) run(t testing.TB) []uint32 {
	t.Helper()
	c := k.d.NewCommandBuffer()
	k.bind(t, c)
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	submit(t, k.d, c)
	return words(k.out, 10)
}

// TestMemorySets_EveryType: a shader reads and writes what descriptors in memory name, and sees
// the null descriptor where there is none.
func TestMemorySets_EveryType(t *testing.T) {
	k := newMemoryKit(t, open(t))
	if got, want := k.layout.MemorySize(), uint64(10*DescriptorBytes); got != want {
		t.Errorf("the set has %d bytes, want %d", got, want)
	}
	for binding, want := range map[uint32]uint64{0: 0, 2: 64, 8: 256, 9: 288} {
		if at, ok := k.layout.MemoryOffset(binding); !ok || at != want {
			t.Errorf("binding %d lies at %d, want %d", binding, at, want)
		}
	}
	if _, ok := k.layout.MemoryOffset(1); ok {
		t.Error("a binding that is not there has an offset")
	}
	none := make([]uint32, 10)
	if got := k.run(t); !slices.Equal(got, none) {
		t.Errorf("null descriptors read as %v", got)
	}
	k.put(t)
	if got, want := k.run(t), []uint32{10, 11, 21, 3, 51, 51, 51, 31, 41, 60}; !slices.Equal(got, want) {
		t.Errorf("the shader saw %v, want %v", got, want)
	}
	if got := [3]uint32{words(k.buffers[2], 1)[0], binary.LittleEndian.Uint32(k.image.res.Data), words(k.buffers[4], 1)[0]}; got != [3]uint32{77, 78, 79} {
		t.Errorf("the shader wrote %v", got)
	}
	for i := range k.descriptors() { // without its memory each is null, and nothing else changes
		k.put(t)
		clear(k.at(i))
		want := []uint32{10, 11, 21, 3, 51, 51, 51, 31, 41, 60}
		for _, n := range [][]int{{0}, {1}, {2, 3}, {4}, {5}, nil, {6}, {7}, {8}}[i] {
			want[n] = 0
		}
		if got := k.run(t); i != 5 && !slices.Equal(got, want) {
			t.Errorf("without descriptor %d the shader saw %v, want %v", i, got, want)
		}
	}
	k.set.Close()
	if got := k.runNowhere(t); !slices.Equal(got, none) {
		t.Errorf("a set in a buffer that is gone reads as %v", got)
	}
}

// runNowhere is run with descriptor buffers that lead nowhere.
func (k *memoryKit) runNowhere(t testing.TB) []uint32 {
	t.Helper()
	c := k.d.NewCommandBuffer()
	c.BindPipeline("bind", vk.PipelineBindPointCompute, k.pipeline)
	c.BindDescriptorBuffers("buffers", []uint64{0, 1 << 40})
	c.SetDescriptorBufferOffset("offset", vk.PipelineBindPointCompute, 0, k.layout, 1, 1<<62)
	c.BindDescriptorSetLate("bind", vk.PipelineBindPointCompute, 1, k.second, nil)
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	submit(t, k.d, c)
	return words(k.out, 10)
}

// isNull says that element k of a binding reads as the null descriptor.
func (k *memoryKit) isNull(src []byte, b *Binding) bool {
	e, o := k.d.fromMemory(src, b, 0)
	return e.Data == nil && e.View == nil && e.Sampler == nil && e.Texel == nil && o.view == nil && o.sampler == nil
}

// bindingOf is the binding of descriptor i.
func bindingOf(i int) *Binding { return &memoryTypes[max(i-1, 0)] }

// TestMemorySets_WhatIsNoDescriptorIsNull: every bit counts, halves of two make none, and a descriptor is of its
// type and of a living object.
func TestMemorySets_WhatIsNoDescriptorIsNull(t *testing.T) {
	k := newMemoryKit(t, open(t))
	k.put(t)
	for i := range k.descriptors() {
		b := bindingOf(i)
		if k.isNull(k.at(i), b) {
			t.Fatalf("descriptor %d is null", i)
		}
		for bit := range 8 * DescriptorBytes {
			other := slices.Clone(k.at(i))
			if other[bit/8] ^= 1 << (bit % 8); !k.isNull(other, b) {
				t.Errorf("descriptor %d with bit %d changed is one", i, bit)
			}
		}
		for j := range k.descriptors() {
			if bindingOf(j).Type == b.Type {
				continue
			}
			if !k.isNull(k.at(j), b) {
				t.Errorf("a %v is taken for a %v", bindingOf(j).Type, b.Type)
			}
			for _, at := range []int{4, 8, 16, 24} {
				if torn := append(slices.Clone(k.at(i)[:at]), k.at(j)[at:]...); !slices.Equal(torn, k.at(i)) && !k.isNull(torn, b) {
					t.Errorf("%d bytes of a %v and the rest of a %v are one", at, b.Type, bindingOf(j).Type)
				}
			}
			mutable := Binding{Type: vk.DescriptorTypeMutableEXT, Count: 1, Mutable: []vk.DescriptorType{b.Type}}
			if k.isNull(k.at(i), &mutable) || !k.isNull(k.at(j), &mutable) {
				t.Errorf("a %v and a %v of a binding that may be the first", b.Type, bindingOf(j).Type)
			}
		}
		if !k.isNull(k.at(i)[:DescriptorBytes-1], b) {
			t.Errorf("descriptor %d without its last byte is one", i)
		}
	}
	view, sampler := slices.Clone(k.at(4)), slices.Clone(k.at(5))
	if err := errors.Join(k.view.Close(), k.sampler.Close(), k.buffers[0].Close()); err != nil {
		t.Fatal(err)
	}
	k.view = must(k.d.NewImageView(k.image, resource.ViewDesc{}, ""))(t)
	k.sampler = must(k.d.NewSampler(vk.SamplerCreateInfo{}, 0))(t)
	if !k.isNull(view, bindingOf(4)) || !k.isNull(sampler, bindingOf(5)) || !k.isNull(k.at(0), bindingOf(0)) {
		t.Error("descriptors outlive their objects")
	}
	k.putImages(t)
	if slices.Equal(view, k.at(4)) || k.isNull(k.at(4), bindingOf(4)) || k.isNull(k.at(3), bindingOf(3)) {
		t.Error("new objects have the descriptors of old ones")
	}
	k.image.Close()
	if !k.isNull(k.at(4), bindingOf(4)) {
		t.Error("a view of an image that is gone")
	}
}

// putImages writes the descriptors of images and samplers.
func (k *memoryKit) putImages(t testing.TB) {
	for i, w := range k.descriptors()[3:6] {
		if err := k.d.PutDescriptor(k.at(3+i), w); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMemorySets_NoFurtherThanTheBuffer: descriptors that a program makes up reach what lies in a
// buffer, and images only as what they were made for.
func TestMemorySets_NoFurtherThanTheBuffer(t *testing.T) {
	k := newMemoryKit(t, open(t))
	base := k.address[2]
	made := func(w memoryWords, b *Binding) exec.Descriptor {
		src := make([]byte, DescriptorBytes)
		w.put(src)
		e, _ := k.d.fromMemory(src, b, 0)
		return e
	}
	storage, texels := &memoryTypes[1], &memoryTypes[6]
	for _, c := range []struct{ address, size, want uint64 }{
		{base, 12, 12}, {base, 5, 5}, {base, 13, 12}, {base + 8, 1 << 63, 4}, {base + 4, ^uint64(0), 8}, {base, 0, 0},
		{base + 2, 4, 0}, {base + 12, 4, 0}, {base - 4, 8, 0}, {base + 1<<12, 4, 0}, {0, 4, 0}, {^uint64(0) &^ 3, 8, 0}, {1, 4, 0},
	} {
		if got := len(made(memoryWords{tag: uint32(storage.Type) + 1, object: c.address, second: c.size}, storage).Data); uint64(got) != c.want {
			t.Errorf("%d bytes at base%+d reach %d, want %d", c.size, int64(c.address-base), got, c.want)
		}
		e := made(memoryWords{tag: uint32(texels.Type) + 1, object: c.address, second: c.size, format: uint32(vk.FormatR32Uint)}, texels)
		if got := e.Texel; got != nil && uint64(len(got.Data)) != c.want&^3 {
			t.Errorf("%d bytes of texels at base%+d reach %d, want %d", c.size, int64(c.address-base), len(got.Data), c.want&^3)
		}
	}
	for _, f := range []vk.Format{0, vk.FormatD32Sfloat, vk.FormatBc1RgbUnormBlock, vk.FormatG8B8R8_3Plane420Unorm, 1 << 30, -5} {
		if e := made(memoryWords{tag: uint32(texels.Type) + 1, object: base, second: 12, format: uint32(f)}, texels); e.Texel != nil {
			t.Errorf("texels of format %v", f)
		}
	}
	sampled := must(k.d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR32Uint, Extent: vk.Extent3D{Width: 2}, Usage: vk.ImageUsageSampledBit}, nil, 0, ""))(t)
	v := must(k.d.NewImageView(sampled, resource.ViewDesc{}, ""))(t)
	if e := made(memoryWords{tag: uint32(vk.DescriptorTypeStorageImage) + 1, object: v.Number()}, &memoryTypes[5]); e.View != nil {
		t.Error("an image without STORAGE usage is a storage image")
	}
	if e := made(memoryWords{tag: uint32(vk.DescriptorTypeSampledImage) + 1, object: v.Number()}, &memoryTypes[3]); e.View != v.view {
		t.Error("an image with SAMPLED usage is none to sample")
	}
	if e := made(memoryWords{tag: uint32(vk.DescriptorTypeSampledImage) + 1, object: k.sampler.Number()}, &memoryTypes[3]); e.View != nil {
		t.Error("a sampler's number is a view's")
	}
}

// TestPutDescriptor_Refuses: what is no descriptor is told, and the memory is null.
func TestPutDescriptor_Refuses(t *testing.T) {
	k := newMemoryKit(t, open(t))
	attached := must(k.d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR32Uint, Extent: vk.Extent3D{Width: 2}, Usage: vk.ImageUsageColorAttachmentBit}, nil, 0, ""))(t)
	v := must(k.d.NewImageView(attached, resource.ViewDesc{}, ""))(t)
	for i, w := range []MemoryDescriptor{
		{Type: vk.DescriptorTypeSampler}, {Type: vk.DescriptorTypeSampledImage, View: v}, {Type: vk.DescriptorTypeUniformBufferDynamic, Address: k.address[0], Range: 4},
		{Type: vk.DescriptorTypeInlineUniformBlock}, {Type: 1 << 30},
	} {
		dst := []byte{DescriptorBytes + 1: 7}
		for n := range DescriptorBytes {
			dst[n] = 1
		}
		if err := k.d.PutDescriptor(dst, w); rule(err) == "" || !slices.Equal(dst, []byte{DescriptorBytes + 1: 7}) {
			t.Errorf("%d: %v, memory %v", i, err, dst)
		}
	}
	if err := k.d.PutDescriptor(make([]byte, DescriptorBytes-1), k.descriptors()[0]); rule(err) == "" {
		t.Error("a descriptor in too little memory")
	}
	for what, record := range map[string]func(c *CommandBuffer){
		"an offset between": func(c *CommandBuffer) {
			c.SetDescriptorBufferOffset("x", vk.PipelineBindPointCompute, 0, k.layout, 0, 16)
		},
		"no such buffer": func(c *CommandBuffer) {
			c.SetDescriptorBufferOffset("x", vk.PipelineBindPointCompute, 0, k.layout, MaxDescriptorBuffers, 0)
		},
		"no such set": func(c *CommandBuffer) {
			c.SetDescriptorBufferOffset("x", vk.PipelineBindPointCompute, MaxDescriptorSets, k.layout, 0, 0)
		},
		"no layout":           func(c *CommandBuffer) { c.SetDescriptorBufferOffset("x", vk.PipelineBindPointCompute, 0, nil, 0, 0) },
		"no such bind point":  func(c *CommandBuffer) { c.SetDescriptorBufferOffset("x", 7, 0, k.layout, 0, 0) },
		"too many":            func(c *CommandBuffer) { c.BindDescriptorBuffers("x", make([]uint64, MaxDescriptorBuffers+1)) },
		"samplers to be read": func(c *CommandBuffer) { c.BindEmbeddedSamplers("x", vk.PipelineBindPointCompute, 0, k.layout) },
	} {
		c := k.d.NewCommandBuffer()
		if record(c); rule(c.Err()) == "" {
			t.Errorf("%s: %v", what, c.Err())
		}
	}
}

// TestMemorySets_ReadAgain: descriptors that transfers and dispatches write between two others
// count for the second one.
func TestMemorySets_ReadAgain(t *testing.T) {
	k := newMemoryKit(t, open(t))
	k.put(t)
	other := bufferOf(t, k.d, make([]uint32, DescriptorBytes/4)...)
	copy(other.Bytes(), k.at(1))
	c := k.d.NewCommandBuffer()
	k.bind(t, c)
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	c.CopyBuffer(other, k.set, []vk.BufferCopy{{DstOffset: k.setAt, Size: DescriptorBytes}})
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	submit(t, k.d, c)
	if got := words(k.out, 2); got[0] != 11 {
		t.Errorf("after a copy the shader saw %v", got)
	}
}

// TestMemorySets_ReadAgainAfterABarrierInsideAPass: descriptors that fragments write count for draws
// behind a barrier, and not before.
func TestMemorySets_ReadAgainAfterABarrierInsideAPass(t *testing.T) {
	d := open(t)
	p := fullscreen(t, d, "memory.frag", numberFormats, nil)
	set := bufferOf(t, d, make([]uint32, 2*DescriptorBytes/4)...)
	var cells []*Buffer
	for i := range 2 {
		b := bufferOf(t, d, 0)
		cells = append(cells, b)
		if err := d.PutDescriptor(set.Bytes()[i*DescriptorBytes:], MemoryDescriptor{Type: vk.DescriptorTypeStorageBuffer, Address: must(b.DeviceAddress())(t), Range: 4}); err != nil {
			t.Fatal(err)
		}
	}
	first := must(d.NewDescriptorSet(p.layout.Set(0), ""))(t)
	if err := first.Write(0, 0, []Descriptor{{Buffer: set}}); err != nil {
		t.Fatal(err)
	}
	_, view := target(t, d, numbers, 1, 1)
	c := d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: view}}, Area: vk.Rect2D{Extent: vk.Extent2D{Width: 1, Height: 1}}})
	c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
	c.BindDescriptorSetLate("bind", vk.PipelineBindPointGraphics, 0, first, nil)
	c.BindDescriptorBuffers("buffers", []uint64{must(set.DeviceAddress())(t)})
	c.SetDescriptorBufferOffset("offset", vk.PipelineBindPointGraphics, 1, p.layout.Set(1), 0, 0)
	c.Draw("Pass.Draw", 3, 1, 0, 0)
	c.Draw("Pass.Draw", 3, 1, 0, 0)
	c.PipelineBarrier("barrier", []vk.MemoryBarrier2{{}})
	c.Draw("Pass.Draw", 3, 1, 0, 0)
	c.EndRendering("end")
	submit(t, d, c)
	if a, b := words(cells[0], 1)[0], words(cells[1], 1)[0]; a != 2 || b != 1 {
		t.Errorf("%d fragments before and %d after", a, b)
	}
}

// TestMemorySets_AnyBytes: whatever lies in the set, nothing beside the buffers and images is touched, and
// both engines see the same.
func TestMemorySets_AnyBytes(t *testing.T) {
	anyBytes(t, 8, func(d *Device, r *rand.Rand) func(n int) {
		k := newMemoryKit(t, d)
		return func(int) {
			k.put(t)
			k.spoil(r)
			k.run(t)
		}
	})
}

// anyBytes makes many runs on devices with memory between pages that nothing may touch, and both engines beside each other:
// of what prepare returns for a device, with the run's number. None may lose the device.
func anyBytes(t *testing.T, seed uint64, prepare func(d *Device, r *rand.Rand) (run func(n int))) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no pages to map on this system")
	}
	runs := 300
	if testing.Short() {
		runs = 60
	}
	for _, mode := range []memory.Mode{memory.Guard, memory.GuardBefore} {
		d := must(Open(Config{GuardMemory: mode, Threads: 1, Engine: "check"}))(t)
		run := prepare(d, rand.New(rand.NewPCG(seed, uint64(mode))))
		for n := range runs {
			run(n)
			if e := d.lost.Load(); e != nil {
				t.Fatalf("run %d: %v", n, e)
			}
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// spoil changes some descriptors: to any bytes, parts of others, or ones made up with a checksum.
func (k *memoryKit) spoil(r *rand.Rand) {
	for range 1 + r.IntN(6) {
		i := r.IntN(len(k.descriptors()))
		at := k.at(i)
		switch r.IntN(4) {
		case 0:
			for n := range at {
				at[n] = byte(r.Uint32())
			}
		case 1:
			copy(at[8*r.IntN(4):], k.at(r.IntN(9)))
		case 2:
			at[r.IntN(len(at))] ^= 1 << r.IntN(8)
		default:
			w := memoryWords{tag: uint32(bindingOf(i).Type) + 1, object: uint64(r.IntN(8)), second: uint64(r.IntN(64))}
			if t := bindingOf(i).Type; t != vk.DescriptorTypeSampler && descriptorAddresses(t) {
				w.object, w.format = k.address[r.IntN(len(k.address))]+uint64(r.IntN(24))-4, uint32(r.IntN(130))
			}
			if r.IntN(4) == 0 {
				w.second = r.Uint64()
			}
			w.put(at)
		}
	}
}

func descriptorAddresses(t vk.DescriptorType) bool {
	switch t {
	case vk.DescriptorTypeUniformBuffer, vk.DescriptorTypeStorageBuffer, vk.DescriptorTypeUniformTexelBuffer, vk.DescriptorTypeStorageTexelBuffer:
		return true
	}
	return false
}

// TestMemorySets_OnlyWhatChangedIsMadeAnew: of a large array, and the old one stays as it was.
func TestMemorySets_OnlyWhatChangedIsMadeAnew(t *testing.T) {
	k := newMemoryKit(t, open(t))
	const n = 3 * changedBytes / DescriptorBytes
	b := &Binding{Type: vk.DescriptorTypeStorageBuffer, Count: n}
	from := make([]byte, n*DescriptorBytes)
	put := func(i, buffer int) {
		w := k.descriptors()[buffer]
		w.Type = b.Type
		if err := k.d.PutDescriptor(from[i*DescriptorBytes:], w); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		put(i, 0)
	}
	var have slot
	var s memorySlot
	if !k.d.readDescriptors(&have, &s, b, from, n) || k.d.readDescriptors(&have, &s, b, from, n) {
		t.Fatal("what is there is not noticed, or what is the same is")
	}
	old := have.descriptors
	k.buffers[0].Close() // all that is read anew now is null
	put(changedBytes/DescriptorBytes+5, 2)
	if !k.d.readDescriptors(&have, &s, b, from, n) {
		t.Fatal("a change is not noticed")
	}
	for i := range n {
		want := 4
		if i/(changedBytes/DescriptorBytes) == 1 {
			if want = 0; i == changedBytes/DescriptorBytes+5 {
				want = 12
			}
		}
		if len(have.descriptors[i].Data) != want || len(old[i].Data) != 4 {
			t.Fatalf("element %d has %d bytes, want %d", i, len(have.descriptors[i].Data), want)
		}
	}
	if k.d.readDescriptors(&have, &s, b, from[:DescriptorBytes], n); len(have.descriptors) != n || have.descriptors[n-1].Data != nil {
		t.Error("elements behind the end of the buffer are not null")
	}
}

// TestCapture_SameDescriptors: replayed objects have the numbers of captured ones, and no other has them.
func TestCapture_SameDescriptors(t *testing.T) {
	k := newMemoryKit(t, open(t))
	captured := func(replayed uint64) (*ImageView, *Sampler, error) {
		v := must(k.d.NewImageView(k.image, resource.ViewDesc{}, ""))(t)
		s := must(k.d.NewSampler(vk.SamplerCreateInfo{}, 0))(t)
		return v, s, errors.Join(v.Capture(replayed), s.Capture(max(replayed, 1)-1))
	}
	v, s, err := captured(0)
	if err != nil {
		t.Fatal(err)
	}
	nv, ns := v.Number(), s.Number()
	if _, _, err := captured(nv); !errors.Is(err, ErrAddressTaken) {
		t.Errorf("the number of a living view: %v", err)
	}
	if err := s.Capture(k.view.Number()); !errors.Is(err, ErrAddressTaken) {
		t.Errorf("the number of a view that was not captured: %v", err)
	}
	if err := errors.Join(v.Close(), s.Close()); err != nil || v.Number() != nv && v.Number() != 0 {
		t.Fatal(err)
	}
	for range 3 {
		if o := must(k.d.NewImageView(k.image, resource.ViewDesc{}, ""))(t); o.Number() == nv || o.Number() == ns {
			t.Error("a number is given again")
		}
	}
	w := must(k.d.NewImageView(k.image, resource.ViewDesc{}, ""))(t)
	if err := w.Capture(nv); err != nil || w.Number() != nv {
		t.Errorf("replayed as %d, want %d: %v", w.Number(), nv, err)
	}
	if k.d.numbered.view(nv, vk.ImageUsageSampledBit) != w {
		t.Error("the number leads elsewhere")
	}
}

// TestMemorySets_LargeArraysAreKept: from one command buffer to the next, until something that descriptors may name
// comes or goes.
func TestMemorySets_LargeArraysAreKept(t *testing.T) {
	k := newMemoryKit(t, open(t))
	const n = keptElements
	types := []vk.DescriptorType{vk.DescriptorTypeSampledImage, vk.DescriptorTypeSampler, vk.DescriptorTypeStorageBuffer}
	l := must(k.d.NewDescriptorSetLayout([]Binding{{Type: vk.DescriptorTypeMutableEXT, Mutable: types, Count: n}}))(t)
	from := make([]byte, n*DescriptorBytes)
	put := func(i int, w MemoryDescriptor) {
		t.Helper()
		if err := k.d.PutDescriptor(from[i*DescriptorBytes:], w); err != nil {
			t.Fatal(err)
		}
	}
	read := func() []exec.Descriptor {
		var have slot
		k.d.readKept(&have, &memorySlot{}, l, 0, from, n)
		return have.descriptors
	}
	buffer := must(k.d.NewUnboundBuffer(vk.BufferCreateInfo{Size: 64, Usage: vk.BufferUsageShaderDeviceAddressBit, Flags: vk.BufferCreateDeviceAddressCaptureReplayBit}, ""))(t)
	address := must(buffer.CaptureAddress())(t)
	d := k.descriptors()
	put(0, d[4])
	put(1, d[5])
	put(2, d[2])
	put(3, MemoryDescriptor{Type: vk.DescriptorTypeStorageBuffer, Address: address, Range: 64})
	other := must(k.d.NewImageView(k.image, resource.ViewDesc{}, ""))(t)
	put(4, MemoryDescriptor{Type: vk.DescriptorTypeSampledImage, View: other})
	before := read()
	if before[0].View != k.view.view || before[1].Sampler != k.sampler.state || len(before[2].Data) != 12 || before[3].Data != nil || before[4].View != other.view {
		t.Fatalf("%+v", before[:5])
	}
	if now := read(); &now[0] != &before[0] {
		t.Error("an array in which nothing changed is made anew")
	}
	put(n-1, d[2])
	other.Close()
	if now := read(); now[4].View != nil || len(now[n-1].Data) != 12 {
		t.Errorf("a view that is gone %v, a descriptor that came %v", now[4], now[n-1])
	}
	if err := buffer.Bind(must(k.d.NewMemory(256))(t), 0); err != nil {
		t.Fatal(err)
	}
	if now := read(); len(now[3].Data) != 64 {
		t.Error("memory that a buffer was bound to is not seen")
	}
	buffer.Close()
	k.buffers[2].Close()
	if now := read(); now[3].Data != nil || now[2].Data != nil {
		t.Error("buffers that are gone")
	}
	again := must(k.d.NewBuffer(vk.BufferCreateInfo{Size: 64, Usage: vk.BufferUsageShaderDeviceAddressBit, Flags: vk.BufferCreateDeviceAddressCaptureReplayBit}, nil, 0, ""))(t)
	if read(); again.ReplayAddress(address) != nil || len(read()[3].Data) != 64 {
		t.Error("a buffer with memory that took an address is not seen")
	}
	number := k.sampler.Number()
	k.image.Close()
	if now := read(); now[0].View != nil || now[1].Sampler == nil {
		t.Error("an image that is gone, or a sampler that is not")
	}
	k.sampler.Close()
	if now := read(); now[1].Sampler != nil {
		t.Error("a sampler that is gone")
	}
	s := must(k.d.NewSampler(vk.SamplerCreateInfo{}, 0))(t)
	if err := s.Capture(number); rule(err) == "" { // no number of captures
		t.Error("a sampler replayed with a number that was never captured")
	}
	k.d.arrays = keptArrays{}
	const many = maxKeptElements / 8
	for i := range 12 {
		l := must(k.d.NewDescriptorSetLayout([]Binding{{Type: vk.DescriptorTypeSampler, Count: many}}))(t)
		if k.d.readKept(&slot{}, &memorySlot{}, l, 0, nil, many); k.d.arrays.elements != many*(1+i%8) || len(k.d.arrays.of) != 1+i%8 {
			t.Fatalf("%d: %d elements of %d arrays are kept", i, k.d.arrays.elements, len(k.d.arrays.of))
		}
	}
}

// TestMemorySets_PlaceByPlace: sets at several offsets of a buffer, one of them cut by its end, and of several
// buffers, count each for the commands behind it.
func TestMemorySets_PlaceByPlace(t *testing.T) {
	k := newMemoryKit(t, open(t))
	k.put(t)
	c := k.d.NewCommandBuffer()
	k.bind(t, c)
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	c.SetDescriptorBufferOffset("offset", vk.PipelineBindPointCompute, 0, k.layout, 1, k.setAt+DescriptorBytes)
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	submit(t, k.d, c)
	if got := words(k.out, 10); got[0] != 11 || got[9] != 0 {
		t.Errorf("a descriptor further on the shader saw %v", got)
	}
	cut := bufferOf(t, k.d, make([]uint32, (9*DescriptorBytes+8)/4)...) // ends inside the inline uniform block
	copy(cut.Bytes(), k.set.Bytes()[k.setAt:])
	c = k.d.NewCommandBuffer()
	k.bind(t, c)
	c.BindDescriptorBuffers("buffers", []uint64{must(cut.DeviceAddress())(t)})
	c.SetDescriptorBufferOffset("offset", vk.PipelineBindPointCompute, 0, k.layout, 0, 0)
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	submit(t, k.d, c)
	if got := words(k.out, 10); got[0] != 10 || got[9] != 60 {
		t.Errorf("of a set that is cut the shader saw %v", got)
	}

	p := fullscreen(t, k.d, "memory.frag", numberFormats, nil)
	first := must(k.d.NewDescriptorSet(p.layout.Set(0), ""))(t)
	if err := first.Write(0, 0, []Descriptor{{Buffer: bufferOf(t, k.d, make([]uint32, 16)...)}}); err != nil {
		t.Fatal(err)
	}
	var sets, cells []*Buffer
	for range 2 {
		set, cell := bufferOf(t, k.d, make([]uint32, DescriptorBytes/4)...), bufferOf(t, k.d, 0)
		sets, cells = append(sets, set), append(cells, cell)
		if err := k.d.PutDescriptor(set.Bytes(), MemoryDescriptor{Type: vk.DescriptorTypeStorageBuffer, Address: must(cell.DeviceAddress())(t), Range: 4}); err != nil {
			t.Fatal(err)
		}
	}
	_, view := target(t, k.d, numbers, 1, 1)
	c = k.d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: view}}, Area: vk.Rect2D{Extent: vk.Extent2D{Width: 1, Height: 1}}})
	c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
	c.BindDescriptorSetLate("bind", vk.PipelineBindPointGraphics, 0, first, nil)
	for _, set := range sets {
		c.BindDescriptorBuffers("buffers", []uint64{must(set.DeviceAddress())(t)})
		c.SetDescriptorBufferOffset("offset", vk.PipelineBindPointGraphics, 1, p.layout.Set(1), 0, 0)
		c.Draw("Pass.Draw", 3, 1, 0, 0)
	}
	c.EndRendering("end")
	submit(t, k.d, c)
	if a, b := words(cells[0], 1)[0], words(cells[1], 1)[0]; a != 1 || b != 1 {
		t.Errorf("%d fragments with the first buffer, %d with the second", a, b)
	}
}

// TestMemorySets_ImmutableSamplersAndSlices: samplers of the layout stand above those in memory, and storage images
// have the slices of their view.
func TestMemorySets_ImmutableSamplersAndSlices(t *testing.T) {
	k := newMemoryKit(t, open(t))
	k.put(t)
	own := must(k.d.NewSampler(vk.SamplerCreateInfo{MagFilter: vk.FilterLinear}, 0))(t)
	for i := range 9 {
		if b := *bindingOf(i); samples(b.Type) {
			b.Immutable = []*Sampler{own}
			for what, src := range map[string][]byte{"a descriptor": k.at(i), "nothing": make([]byte, DescriptorBytes)} {
				if e, o := k.d.fromMemory(src, &b, 0); e.Sampler != own.state || o.sampler != own {
					t.Errorf("%v of %s has another sampler than its layout", b.Type, what)
				}
			}
		}
	}
	storage := *k.view.storage
	k.view.storage = &storage
	if e, _ := k.d.fromMemory(k.at(6), bindingOf(6), 0); e.View != &storage {
		t.Error("a storage image is seen as an image to sample")
	}
	if e, _ := k.d.fromMemory(k.at(4), bindingOf(4), 0); e.View != k.view.view {
		t.Error("an image to sample is seen as a storage image")
	}
}
