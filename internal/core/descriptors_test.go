package core

import (
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// shaderCode reads a shader of testdata.
func shaderCode(t testing.TB, name string) []byte {
	t.Helper()
	return must(os.ReadFile("testdata/" + name + ".spv"))(t)
}

// words reads the first n words of a buffer.
func words(b *Buffer, n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b.Bytes()[4*i:])
	}
	return out
}

// bufferOf makes a buffer that holds words.
func bufferOf(t testing.TB, d *Device, values ...uint32) *Buffer {
	t.Helper()
	b := must(d.NewBuffer(vk.BufferCreateInfo{Size: uint64(4 * len(values))}, nil, 0, ""))(t)
	for i, v := range values {
		binary.LittleEndian.PutUint32(b.Bytes()[4*i:], v)
	}
	return b
}

// setsKit is everything that sets.comp uses.
type setsKit struct {
	d         *Device
	layouts   [2]*DescriptorSetLayout
	pipeline  *Pipeline
	out       *Buffer
	picture   *ImageView
	texels    *BufferView
	ins       []*Buffer
	immutable *Sampler
}

func newSetsKit(t testing.TB) *setsKit {
	d := open(t)
	k := &setsKit{d: d, immutable: must(d.NewSampler(vk.SamplerCreateInfo{}, 0))(t)}
	k.layouts[0] = must(d.NewDescriptorSetLayout([]Binding{
		{Binding: 0, Type: vk.DescriptorTypeStorageBuffer},
		{Binding: 1, Type: vk.DescriptorTypeInlineUniformBlock, Count: 16},
		{Binding: 2, Type: vk.DescriptorTypeCombinedImageSampler, Immutable: []*Sampler{k.immutable}},
	}))(t)
	k.layouts[1] = must(d.NewDescriptorSetLayout([]Binding{
		{Binding: 0, Type: vk.DescriptorTypeUniformTexelBuffer},
		{Binding: 3, Type: vk.DescriptorTypeStorageBuffer, Count: 100, Flags: vk.DescriptorBindingVariableDescriptorCountBit | vk.DescriptorBindingPartiallyBoundBit},
	}))(t)
	pl := must(d.NewPipelineLayout(k.layouts[:]))(t)
	k.pipeline = must(d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "sets.comp")}, Layout: pl}))(t)
	k.out = bufferOf(t, d, make([]uint32, 8)...)
	im := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: vk.Extent3D{Width: 1}}, nil, 0, ""))(t)
	im.mem.data[0] = 200
	k.picture = must(d.NewImageView(im, resource.ViewDesc{}, ""))(t)
	k.texels = must(d.NewBufferView(bufferOf(t, d, 5, 6), vk.FormatR32Uint, 0, 0))(t)
	for i := range uint32(3) {
		k.ins = append(k.ins, bufferOf(t, d, 100+i))
	}
	return k
}

// sets makes both sets with everything written, but only ins[0] and ins[2].
func (k *setsKit) sets(t testing.TB) (a, b *DescriptorSet) {
	a = must(k.d.NewDescriptorSet(k.layouts[0], ""))(t)
	b = must(k.d.NewVariableDescriptorSet(k.layouts[1], 3, ""))(t)
	inline := make([]byte, 4)
	inline[0] = 42
	if err := errors.Join(
		a.Update(DescriptorWrite{Descriptors: []Descriptor{{Buffer: k.out}}}, DescriptorWrite{Binding: 2, Descriptors: []Descriptor{{View: k.picture}}},
			DescriptorWrite{Binding: 1, First: 4, Inline: inline}),
		b.Update(DescriptorWrite{Descriptors: []Descriptor{{Texel: k.texels}, {Buffer: k.ins[0]}}}), // goes on into binding 3
		b.Update(DescriptorWrite{Binding: 3, First: 2, Descriptors: []Descriptor{{Buffer: k.ins[2]}}}),
	); err != nil {
		t.Fatal(err)
	}
	return a, b
}

// record makes a command buffer that binds the sets and runs the shader.
func (k *setsKit) record(bind func(c *CommandBuffer)) *CommandBuffer {
	c := k.d.NewCommandBuffer()
	bind(c)
	c.BindPipeline("bind", vk.PipelineBindPointCompute, k.pipeline)
	c.PushConstants("push", 0, []byte{3, 0, 0, 0})
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	return c
}

// late binds two sets by reference.
func late(a, b *DescriptorSet) func(*CommandBuffer) {
	return func(c *CommandBuffer) {
		c.BindDescriptorSetLate("bind", vk.PipelineBindPointCompute, 0, a, nil)
		c.BindDescriptorSetLate("bind", vk.PipelineBindPointCompute, 1, b, nil)
	}
}

func (k *setsKit) want(t *testing.T, want ...uint32) {
	t.Helper()
	if got := words(k.out, 6); !slices.Equal(got, want) {
		t.Errorf("the shader saw %v, want %v", got, want)
	}
}

func TestDescriptors_EveryKind(t *testing.T) {
	rules.Covers(t, "IMG-032")
	k := newSetsKit(t)
	a, b := k.sets(t)
	submit(t, k.d, k.record(late(a, b)))
	k.want(t, 42, 200, 6, 100, 0, 102) // ins[1] is null
}

// A set that is bound late counts as it is at each submission; one bound by
// value as it was when it was bound.
func TestDescriptors_LateAndSnapshot(t *testing.T) {
	k := newSetsKit(t)
	a, b := k.sets(t)
	byRef := k.record(late(a, b))
	byValue := k.record(func(c *CommandBuffer) {
		c.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, a, nil)
		c.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 1, b, nil)
	})
	change := func(v byte, in *Buffer) {
		t.Helper()
		if err := errors.Join(a.Update(DescriptorWrite{Binding: 1, First: 4, Inline: []byte{v, 0, 0, 0}}),
			b.Update(DescriptorWrite{Binding: 3, First: 1, Descriptors: []Descriptor{{Buffer: in}}})); err != nil {
			t.Fatal(err)
		}
	}
	change(43, k.ins[1])
	submit(t, k.d, byRef)
	k.want(t, 43, 200, 6, 100, 101, 102)
	submit(t, k.d, byValue)
	k.want(t, 42, 200, 6, 100, 0, 102)
	change(44, k.ins[0])
	submit(t, k.d, byRef)
	k.want(t, 44, 200, 6, 100, 100, 102)
	// A closed buffer that a set still names is the null descriptor.
	if err := k.ins[2].Close(); err != nil {
		t.Fatal(err)
	}
	submit(t, k.d, byRef)
	k.want(t, 44, 200, 6, 100, 100, 0)
	k.d.queue.SubmitAndWait(ctx, "test", nil)
	if err := k.d.queue.SubmitAndWait(ctx, "test", []*CommandBuffer{byValue}); !errors.Is(err, ErrClosed) {
		t.Errorf("by value: %v, want ErrClosed", err)
	}
}

func TestDescriptors_Copy(t *testing.T) {
	k := newSetsKit(t)
	a, b := k.sets(t)
	a2, b2 := must(k.d.NewDescriptorSet(k.layouts[0], ""))(t), must(k.d.NewVariableDescriptorSet(k.layouts[1], 3, ""))(t)
	if err := errors.Join(
		a2.Copy(DescriptorCopy{From: a, Count: 1}), a2.Copy(DescriptorCopy{From: a, FromBinding: 2, Binding: 2, Count: 1}),
		a2.Copy(DescriptorCopy{From: a, FromBinding: 1, FromFirst: 4, Binding: 1, First: 4, Count: 4}),
		b2.Copy(DescriptorCopy{From: b, Count: 1}), // then binding 3, moved by one
		b2.Copy(DescriptorCopy{From: b, FromBinding: 3, Binding: 3, First: 1, Count: 2}),
	); err != nil {
		t.Fatal(err)
	}
	submit(t, k.d, k.record(late(a2, b2)))
	k.want(t, 42, 200, 6, 0, 100, 0)
	if err := b2.Copy(DescriptorCopy{From: b, FromBinding: 3, Binding: 3, First: 1, Count: 3}); err == nil {
		t.Error("a copy beyond the set was accepted")
	}
	if err := b2.Copy(DescriptorCopy{From: a, Count: 1}); rule(err) != "VUID-VkCopyDescriptorSet-dstBinding-02632" {
		t.Errorf("a buffer copied to a texel buffer: %v", err)
	}
}

// Pushed descriptors stay until an incompatible layout comes; sets of other
// numbers stay bound.
func TestDescriptors_Push(t *testing.T) {
	k := newSetsKit(t)
	_, b := k.sets(t)
	same := must(k.d.NewDescriptorSetLayout(k.layouts[0].Bindings()))(t)
	c := k.record(func(c *CommandBuffer) {
		c.BindDescriptorSetLate("bind", vk.PipelineBindPointCompute, 1, b, nil)
		c.PushDescriptors("push", vk.PipelineBindPointCompute, 0, k.layouts[0], []DescriptorWrite{
			{Descriptors: []Descriptor{{Buffer: k.out}}}, {Binding: 1, First: 4, Inline: []byte{9, 0, 0, 0}}})
		c.PushDescriptors("push", vk.PipelineBindPointCompute, 0, same, []DescriptorWrite{{Binding: 2, Descriptors: []Descriptor{{View: k.picture}}}})
	})
	other := bufferOf(t, k.d, make([]uint32, 8)...)
	c.PushDescriptors("push", vk.PipelineBindPointCompute, 0, same, []DescriptorWrite{{Descriptors: []Descriptor{{Buffer: other}}}})
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	submit(t, k.d, c)
	k.want(t, 9, 200, 6, 100, 0, 102)
	if got := words(other, 6); !slices.Equal(got, words(k.out, 6)) {
		t.Errorf("the second dispatch saw %v", got)
	}
}

func TestDescriptors_BadUse(t *testing.T) {
	k := newSetsKit(t)
	a, b := k.sets(t)
	d := k.d
	foreign := must(open(t).NewBuffer(vk.BufferCreateInfo{Size: 4}, nil, 0, ""))(t)
	_, immutable := d.NewDescriptorSetLayout([]Binding{{Type: vk.DescriptorTypeSampler, Count: 2, Immutable: []*Sampler{k.immutable}}})
	_, inline := d.NewDescriptorSetLayout([]Binding{{Type: vk.DescriptorTypeInlineUniformBlock, Count: 6}})
	for want, err := range map[string]error{
		"VUID-VkDescriptorSetLayoutBinding-descriptorType-00282": immutable,
		"VUID-VkDescriptorSetLayoutBinding-descriptorType-02209": inline,
		"VUID-VkWriteDescriptorSet-dstBinding-00315":             a.Update(DescriptorWrite{Binding: 7, Descriptors: make([]Descriptor, 1)}),
		"VUID-VkWriteDescriptorSet-dstArrayElement-00321":        b.Update(DescriptorWrite{Binding: 3, First: 1 << 30, Descriptors: make([]Descriptor, 1)}),
		"VUID-VkWriteDescriptorSet-descriptorType-02997":         a.Update(DescriptorWrite{Descriptors: []Descriptor{{View: k.picture}}}),
		"VUID-commonparent": a.Update(DescriptorWrite{Descriptors: []Descriptor{{Buffer: foreign}}}),
	} {
		if got := rule(err); got != want && "VUID-"+got != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
