package spirv

// DescriptorKind is the kind of resource behind a variable.
type DescriptorKind uint8

const (
	DescriptorNone DescriptorKind = iota
	DescriptorUniformBuffer
	DescriptorStorageBuffer
	DescriptorSampledImage
	DescriptorStorageImage
	DescriptorSampler
	DescriptorCombinedImageSampler
	DescriptorUniformTexelBuffer
	DescriptorStorageTexelBuffer
	DescriptorInputAttachment
)

// Descriptor describes one resource variable.
type Descriptor struct {
	Variable ID
	Name     string
	// Bound says that the variable has a set and a binding.
	Bound        bool
	Set, Binding uint32
	Kind         DescriptorKind
	// Count is the array size: 1 for no array, 0 for a runtime array.
	Count    uint32
	Arrayed  bool
	ReadOnly bool
	Image    *Type // the image type of image descriptors
	Block    *Type // the struct of buffer descriptors
}

// DescriptorOf describes a module-scope variable of a resource storage class.
// Arrays of arrays are one array, in row order.
func DescriptorOf(m *Module, k *Constants, v *Inst) Descriptor {
	t := m.Pointee(v)
	d := Descriptor{Variable: v.Result, Name: m.Name(v.Result), Count: 1}
	set, okS := m.Decoration(v.Result, DecorationDescriptorSet)
	binding, okB := m.Decoration(v.Result, DecorationBinding)
	if okS && okB && len(set) == 1 && len(binding) == 1 {
		d.Bound, d.Set, d.Binding = true, set[0], binding[0]
	}
	for t.Kind == KindArray || t.Kind == KindRuntimeArray {
		n, _ := k.ArrayLen(t) // 0 for a runtime array
		if uint64(d.Count)*uint64(n) > 1<<20 {
			return d
		}
		d.Arrayed, d.Count = true, d.Count*n
		t = t.Elem
	}
	_, d.ReadOnly = m.Decoration(v.Result, DecorationNonWritable)
	class := StorageClass(v.Operands[0])
	switch t.Kind {
	case KindStruct:
		d.Block = t
		if d.Name == "" {
			d.Name = m.Name(t.ID)
		}
		_, bufferBlock := m.Decoration(t.ID, DecorationBufferBlock)
		switch {
		case class == StorageClassStorageBuffer || class == StorageClassUniform && bufferBlock:
			d.Kind = DescriptorStorageBuffer
			d.ReadOnly = d.ReadOnly || allNonWritable(m, t)
		case class == StorageClassUniform:
			d.Kind, d.ReadOnly = DescriptorUniformBuffer, true
		}
	case KindSampler:
		d.Kind, d.ReadOnly = DescriptorSampler, true
	case KindSampledImage:
		d.Kind, d.ReadOnly, d.Image = DescriptorCombinedImageSampler, true, t.Elem
		if t.Elem.Image.Dim == DimBuffer { // what compilers make of samplerBuffer
			d.Kind = DescriptorUniformTexelBuffer
		}
	case KindImage:
		d.Image = t
		d.Kind = t.Image.Descriptor()
		d.ReadOnly = d.ReadOnly || t.Image.Use == 1
	}
	return d
}

// Descriptor is what an image is without a sampler.
func (t *ImageType) Descriptor() DescriptorKind {
	switch {
	case t.Dim == DimSubpassData:
		return DescriptorInputAttachment
	case t.Dim == DimBuffer && t.Use == 1:
		return DescriptorUniformTexelBuffer
	case t.Dim == DimBuffer && t.Use == 2:
		return DescriptorStorageTexelBuffer
	case t.Use == 1:
		return DescriptorSampledImage
	case t.Use == 2:
		return DescriptorStorageImage
	default:
		return DescriptorNone
	}
}

func allNonWritable(m *Module, t *Type) bool {
	for i := range t.Members {
		if _, ok := m.MemberDecoration(t.ID, uint32(i), DecorationNonWritable); !ok {
			return false
		}
	}
	return len(t.Members) > 0
}
