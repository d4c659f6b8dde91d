package icd

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/driver/internal/wire"
	"github.com/pumice-gpu/pumice/vk"
)

// With Config.Region the driver works for a host in another process. What that one can write it does not believe: handles
// are looked up before they are followed, and records are copied and checked before they are carried out. Arguments come
// checked (driver/internal/helper).

// unshared are extensions that take what a host in another process cannot give: addresses.
var unshared = []string{"VK_EXT_external_memory_host", "VK_EXT_map_memory_placed", "VK_NV_cooperative_vector"}

// unsharedFeatures are features of other extensions: their commands write where the host says,
// as much as the driver says.
var unsharedFeatures = []string{"descriptorBufferCaptureReplay"}

// isolated says that the host is another process.
func (d *Driver) isolated() bool { return d.cfg.Region != nil }

// Handle says whether h is where a dispatchable handle of the driver's may lie. What is there the host can change: at
// worst, it is another object's.
func (d *Driver) Handle(h uintptr) bool { return d.cells.holds(h) }

// holds says whether a piece of the slab begins at an address.
func (s *slab) holds(at uintptr) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, found := slices.BinarySearchFunc(s.blocks, at, compareBlock)
	if !found {
		i--
	}
	return i >= 0 && at-s.blocks[i].at < slabBytes && (at-s.blocks[i].at)%uintptr(s.bytes) == 0
}

// TemplateBytes is how many bytes a command reads that takes the data of a descriptor update template, whose arguments are
// at p; false for other commands.
func (d *Driver) TemplateBytes(op abi.Op, p unsafe.Pointer) (n uint64, ok bool) {
	var h abi.DescriptorUpdateTemplate
	switch op {
	case abi.OpUpdateDescriptorSetWithTemplate:
		h = (*abi.UpdateDescriptorSetWithTemplateArgs)(p).DescriptorUpdateTemplate
	case abi.OpCmdPushDescriptorSetWithTemplate:
		h = (*abi.CmdPushDescriptorSetWithTemplateArgs)(p).DescriptorUpdateTemplate
	case abi.OpCmdPushDescriptorSetWithTemplate2:
		i := (*abi.CmdPushDescriptorSetWithTemplate2Args)(p).PPushDescriptorSetWithTemplateInfo
		if i == nil {
			return 0, true
		}
		h = i.DescriptorUpdateTemplate
	default:
		return 0, false
	}
	return d.TemplateOf(*(*unsafe.Pointer)(p), h), true
}

// TemplateOf is how many bytes the data of a template have, of the device that object is or belongs to: a device or a command
// buffer; 0 if there is none.
func (d *Driver) TemplateOf(object unsafe.Pointer, h abi.DescriptorUpdateTemplate) uint64 {
	dev := resolve(&d.devices, object, abi.LevelDevice)
	if c := resolve(&d.commandBuffers, object, abi.LevelCommandBuffer); c != nil {
		dev = c.device
	}
	if dev == nil {
		return 0
	}
	if t := lookup(&dev.updateTemplates, h); t != nil {
		return t.bytes()
	}
	return 0
}

// HostBytes is how many bytes a region of an image takes in the host's memory; 0 for what is none.
func (d *Driver) HostBytes(device unsafe.Pointer, image abi.Image, r vk.BufferImageCopy) uint64 {
	dev := resolve(&d.devices, device, abi.LevelDevice)
	if dev == nil {
		return 0
	}
	im := lookup(&dev.images, image)
	if im == nil {
		return 0
	}
	n, err := im.core.HostBytes(r)
	if err != nil {
		return 0
	}
	return n
}

// HostBytesFit says whether the memory of all regions is as long as a copy between host and image takes, whose arguments are
// at p; true for other commands.
func (d *Driver) HostBytesFit(op abi.Op, p unsafe.Pointer, have []uint64) bool {
	device := *(*unsafe.Pointer)(p)
	var image abi.Image
	var regions []vk.BufferImageCopy
	switch op {
	case abi.OpCopyMemoryToImage:
		i := (*abi.CopyMemoryToImageArgs)(p).PCopyMemoryToImageInfo
		if i == nil {
			return false
		}
		image = i.DstImage
		for _, g := range abi.Slice(i.PRegions, i.RegionCount) {
			if g.PHostPointer == nil {
				return false
			}
			regions = append(regions, toImage(&g))
		}
	case abi.OpCopyImageToMemory:
		i := (*abi.CopyImageToMemoryArgs)(p).PCopyImageToMemoryInfo
		if i == nil {
			return false
		}
		image = i.SrcImage
		for _, g := range abi.Slice(i.PRegions, i.RegionCount) {
			if g.PHostPointer == nil {
				return false
			}
			regions = append(regions, toMemory(&g))
		}
	}
	for n, r := range regions {
		if n >= len(have) || d.HostBytes(device, image, r) > have[n] {
			return false
		}
	}
	return true
}

// bytes is how far the data of a template reaches.
func (t *UpdateTemplate) bytes() (end uint64) {
	for _, e := range t.entries {
		if e.DescriptorCount == 0 {
			continue
		}
		size := uint64(unsafe.Sizeof(abi.DescriptorImageInfo{})) // the largest
		n := uint64(e.DescriptorCount)
		if e.DescriptorType == vk.DescriptorTypeInlineUniformBlock {
			end = max(end, uint64(e.Offset)+n)
			continue
		}
		if e.Offset > 1<<40 || e.Stride > 1<<20 {
			return 1 << 62 // no data is that long
		}
		end = max(end, uint64(e.Offset)+(n-1)*uint64(e.Stride)+size)
	}
	return end
}

// checked copies the records of a command buffer, and what they lead to, out of the reach of the host. Both are dropped
// where something is not as the encoder has it.
func (a *arena) checked(d *Driver, copies *arena) (*arena, error) {
	var w wire.Walk
	out := &arena{kept: copies.spans()}
	w.Begin(d.Handle, out.kept...)
	for _, s := range a.spans() {
		p := unsafe.Pointer(unsafe.SliceData(s.Copy))
		n := uint64(len(s.Copy))
		for at := uint64(0); at < n; {
			h := (*abi.CommandHeader)(unsafe.Add(p, at))
			if n-at < uint64(unsafe.Sizeof(*h)) || h.Size < uint32(unsafe.Sizeof(*h)) || h.Size%8 != 0 || uint64(h.Size) > n-at {
				return nil, &wire.Error{What: "a record that ends elsewhere"}
			}
			if h.Op == abi.OpCmdPushDescriptorSetWithTemplate { // the driver's own record
				if uintptr(h.Size) < unsafe.Sizeof(templateRecord{}) {
					return nil, &wire.Error{What: "a record that ends elsewhere"}
				}
			} else if err := w.Record(h.Op, unsafe.Pointer(h), uintptr(h.Size)); err != nil {
				return nil, err
			}
			at += uint64(h.Size)
		}
		out.segments = append(out.segments, segment{data: p, bytes: n, used: n})
	}
	return out, nil
}

// spans copies all segments as far as they are filled.
func (a *arena) spans() []wire.Section {
	var out []wire.Section
	for _, s := range a.segments {
		n := min(s.used, s.bytes) &^ 7
		words := make([]uint64, n/8)
		data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
		copy(data, unsafe.Slice((*byte)(s.data), n))
		out = append(out, wire.Section{From: uintptr(s.data), Copy: data})
	}
	return out
}

// distrust tells of a host that has sent what no encoder makes.
func (d *Driver) distrust(err error) { d.Distrust(abi.OpEndCommandBuffer, err) }

// Distrust tells of arguments that no front makes.
func (d *Driver) Distrust(op abi.Op, err error) {
	if d.cfg.Log != nil {
		_, _ = fmt.Fprintf(d.cfg.Log, "pumice: %v: what the host sent is left out: %v\n", op, err)
	}
}
