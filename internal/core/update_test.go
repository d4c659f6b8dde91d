package core

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// contents lists the elements of a set from a binding on: the offsets of its
// buffers, −1 for what was never written, and the bytes of inline uniform blocks.
func contents(s *DescriptorSet) (list []int) {
	for i := range s.state.slots {
		slot := &s.state.slots[i]
		if s.layout.bindings[i].Type == vk.DescriptorTypeInlineUniformBlock {
			for k := range slot.descriptors {
				for _, b := range slot.descriptors[k].Data {
					list = append(list, int(b))
				}
			}
			continue
		}
		for k := range slot.owners {
			at := -1
			if slot.owners[k].written {
				at = int(slot.owners[k].offset)
			}
			list = append(list, at)
		}
	}
	return list
}

// Copies and writes go on into the next bindings. Those past the last one, or into
// one of another kind, are refused with their rule and change nothing.
//
// descriptorsets-updates-consecutive
func TestDescriptors_PastTheLastBinding(t *testing.T) {
	d := open(t)
	b := bufferOf(t, d, make([]uint32, 64)...)
	const storage, uniform, inline = vk.DescriptorTypeStorageBuffer, vk.DescriptorTypeUniformBuffer, vk.DescriptorTypeInlineUniformBlock
	l := must(d.NewDescriptorSetLayout([]Binding{ // 0…4 storage, then 12 bytes, then 0…2 uniform
		{Binding: 0, Type: storage, Count: 2}, {Binding: 3, Type: storage, Count: 3},
		{Binding: 4, Type: inline, Count: 8}, {Binding: 7, Type: inline, Count: 4},
		{Binding: 9, Type: uniform, Count: 2}, {Binding: 10, Type: uniform, Count: 1},
	}))(t)
	buffers := func(n int) (list []Descriptor) {
		for i := range n {
			list = append(list, Descriptor{Buffer: b, Offset: uint64(4 * i)})
		}
		return list
	}
	fresh := func() *DescriptorSet { return must(d.NewDescriptorSet(l, ""))(t) }
	full := fresh()
	bytes := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	for _, w := range []DescriptorWrite{{Descriptors: buffers(5)}, {Binding: 4, Inline: bytes}, {Binding: 9, Descriptors: buffers(3)}} {
		if err := full.Update(w); err != nil {
			t.Fatal(err)
		}
	}
	all := []int{0, 4, 8, 12, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 4, 8}
	if got := contents(full); !slices.Equal(got, all) {
		t.Fatalf("written over bindings: %v, want %v", got, all)
	}
	const most = ^uint32(0)
	for name, c := range map[string]struct {
		copy DescriptorCopy
		rule string
	}{
		"all of a kind":                       {DescriptorCopy{Count: 5}, ""},
		"bytes over blocks":                   {DescriptorCopy{FromBinding: 4, Binding: 4, Count: 12}, ""},
		"to the last":                         {DescriptorCopy{FromBinding: 9, FromFirst: 1, Binding: 9, First: 1, Count: 2}, ""},
		"first past its binding":              {DescriptorCopy{FromFirst: 2, First: 4, Count: 1}, ""},
		"nothing, past the end":               {DescriptorCopy{FromBinding: 10, FromFirst: 1, Binding: 10, First: 7}, ""},
		"source past the last":                {DescriptorCopy{FromBinding: 10, Binding: 9, Count: 2}, "VkCopyDescriptorSet-srcArrayElement-00346"},
		"target past the last":                {DescriptorCopy{FromBinding: 9, Binding: 10, Count: 2}, "VkCopyDescriptorSet-dstArrayElement-00348"},
		"source begins past the last":         {DescriptorCopy{FromBinding: 10, FromFirst: 1, Binding: 9, Count: 1}, "VkCopyDescriptorSet-srcArrayElement-00346"},
		"target begins past the last":         {DescriptorCopy{FromBinding: 9, Binding: 10, First: 1, Count: 1}, "VkCopyDescriptorSet-dstArrayElement-00348"},
		"source begins anywhere":              {DescriptorCopy{FromBinding: 9, FromFirst: most, Binding: 9, Count: 1}, "VkCopyDescriptorSet-srcArrayElement-00346"},
		"target begins anywhere":              {DescriptorCopy{FromBinding: 9, Binding: 9, First: most, Count: 1}, "VkCopyDescriptorSet-dstArrayElement-00348"},
		"as many as there can be":             {DescriptorCopy{Count: most}, "VkCopyDescriptorSet-srcArrayElement-00346"},
		"descriptors into bytes":              {DescriptorCopy{FromBinding: 3, Binding: 3, FromFirst: 2, First: 2, Count: 2}, "VkCopyDescriptorSet-srcArrayElement-00346"},
		"bytes into descriptors":              {DescriptorCopy{FromBinding: 7, Binding: 7, Count: 8}, "VkCopyDescriptorSet-srcArrayElement-00346"},
		"bytes past the last of the target":   {DescriptorCopy{FromBinding: 4, Binding: 7, Count: 8}, "VkCopyDescriptorSet-dstArrayElement-00348"},
		"a block to a buffer":                 {DescriptorCopy{FromBinding: 4, Binding: 0, Count: 1}, "VkCopyDescriptorSet-dstBinding-02632"},
		"a buffer to a block":                 {DescriptorCopy{FromBinding: 0, Binding: 4, Count: 1}, "VkCopyDescriptorSet-dstBinding-02632"},
		"a block by way of its first element": {DescriptorCopy{FromBinding: 3, FromFirst: 3, Binding: 0, Count: 1}, "VkCopyDescriptorSet-dstBinding-02632"},
		"another type":                        {DescriptorCopy{FromBinding: 0, Binding: 9, Count: 2}, "VkCopyDescriptorSet-dstBinding-02632"},
		"no such source":                      {DescriptorCopy{FromBinding: 1, Count: 1}, "VkCopyDescriptorSet-srcBinding-00345"},
		"no such target":                      {DescriptorCopy{Binding: 11, Count: 1}, "VkCopyDescriptorSet-dstBinding-00347"},
	} {
		s := fresh()
		before := contents(s)
		c.copy.From = full
		err := s.Copy(c.copy)
		if got := rule(err); got != c.rule && got != "VUID-"+c.rule {
			t.Errorf("%s: %v, want %q", name, err, c.rule)
		}
		if err != nil && !slices.Equal(contents(s), before) {
			t.Errorf("%s: refused, and it changed %v to %v", name, before, contents(s))
		}
	}
	mixed := must(d.NewDescriptorSetLayout([]Binding{{Binding: 0, Type: inline, Count: 4}, {Binding: 1, Type: vk.DescriptorTypeMutableEXT, Mutable: []vk.DescriptorType{storage, uniform}}}))(t)
	mutable := must(d.NewDescriptorSet(mixed, ""))(t)
	if err := mutable.Copy(DescriptorCopy{From: mutable, Binding: 1, Count: 1}); rule(err) != "VUID-VkCopyDescriptorSet-dstBinding-02632" {
		t.Errorf("a block to a mutable descriptor: %v", err)
	}
	if err := mutable.Copy(DescriptorCopy{From: full, Binding: 1, Count: 1}); err != nil {
		t.Errorf("a buffer to a mutable descriptor: %v", err)
	}
	for name, w := range map[string]struct {
		write DescriptorWrite
		rule  string
	}{
		"past the last":         {DescriptorWrite{Binding: 9, Descriptors: buffers(4)}, "dstArrayElement-00321"},
		"begins past the last":  {DescriptorWrite{Binding: 10, First: 1, Descriptors: buffers(1)}, "dstArrayElement-00321"},
		"begins anywhere":       {DescriptorWrite{Binding: 10, First: most, Descriptors: buffers(1)}, "dstArrayElement-00321"},
		"into bytes":            {DescriptorWrite{Binding: 3, First: 2, Descriptors: buffers(2)}, "dstArrayElement-00321"},
		"bytes past the blocks": {DescriptorWrite{Binding: 4, First: 4, Inline: bytes}, "dstArrayElement-00321"},
		"bytes past all":        {DescriptorWrite{Binding: 10, First: 1, Inline: bytes}, "dstArrayElement-00321"},
		"bytes for a buffer":    {DescriptorWrite{Binding: 9, Inline: bytes[:2]}, "descriptorType-00319"},
		"a buffer for bytes":    {DescriptorWrite{Binding: 7, Descriptors: buffers(2)}, "descriptorType-00319"},
		"null for bytes":        {DescriptorWrite{Binding: 7, Descriptors: make([]Descriptor, 2)}, "descriptorType-00319"},
		"no such binding":       {DescriptorWrite{Binding: 11, Descriptors: buffers(1)}, "dstBinding-00315"},
	} {
		s := fresh()
		before := contents(s)
		if err := s.Update(w.write); rule(err) != "VUID-VkWriteDescriptorSet-"+w.rule {
			t.Errorf("%s: %v, want %q", name, err, w.rule)
		}
		if !slices.Equal(contents(s), before) {
			t.Errorf("%s: refused, and it changed %v to %v", name, before, contents(s))
		}
	}
}

// Any update of any layout, whatever its numbers, is carried out or refused, and
// leaves as many elements as there were.
func TestDescriptors_AnyUpdate(t *testing.T) {
	d := open(t)
	b := bufferOf(t, d, make([]uint32, 64)...)
	r := rand.New(rand.NewPCG(41, 42))
	for range 300 {
		var bindings []Binding
		for n := range uint32(1 + r.IntN(5)) {
			k := Binding{Binding: 2 * n, Type: vk.DescriptorTypeStorageBuffer, Count: uint32(1 + r.IntN(3))}
			if r.IntN(3) == 0 {
				k.Type, k.Count = vk.DescriptorTypeInlineUniformBlock, 4*k.Count
			}
			bindings = append(bindings, k)
		}
		last := &bindings[len(bindings)-1]
		last.Flags = vk.DescriptorBindingVariableDescriptorCountBit
		l := must(d.NewDescriptorSetLayout(bindings))(t)
		s := must(d.NewVariableDescriptorSet(l, uint32(r.IntN(int(last.Count)+1)), ""))(t)
		from := must(d.NewDescriptorSet(l, ""))(t)
		if r.IntN(4) == 0 {
			from = s
		}
		number := func() uint32 {
			return []uint32{0, uint32(r.IntN(12)), uint32(r.IntN(12)), ^uint32(r.IntN(3))}[r.IntN(4)]
		}
		for range 20 {
			n := r.IntN(8)
			before := len(contents(s))
			switch r.IntN(3) {
			case 0:
				list := make([]Descriptor, n)
				for i := range list {
					list[i] = Descriptor{Buffer: b, Offset: uint64(4 * r.IntN(64))}
				}
				_ = s.Update(DescriptorWrite{Binding: number(), First: number(), Descriptors: list})
			case 1:
				_ = from.Update(DescriptorWrite{Binding: number(), First: number(), Inline: make([]byte, n)})
			default:
				_ = s.Copy(DescriptorCopy{From: from, FromBinding: number(), FromFirst: number(), Binding: number(), First: number(), Count: number()})
			}
			if len(contents(s)) != before {
				t.Fatalf("%+v: %d elements became %d", bindings, before, len(contents(s)))
			}
		}
	}
}

// With StoreAnywhere images take what their format can store, whatever they were made for, and that is told.
func TestUpdate_StoreAnywhere(t *testing.T) {
	for _, anywhere := range []bool{false, true} {
		told := ""
		d, err := Open(Config{HeapMemory: true, Threads: 1, StoreAnywhere: anywhere, Debug: func(m Message) { told = m.Rule }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		l := must(d.NewDescriptorSetLayout([]Binding{{Binding: 0, Type: vk.DescriptorTypeStorageImage}, {Binding: 1, Type: vk.DescriptorTypeInputAttachment}}))(t)
		s := must(d.NewDescriptorSet(l, ""))(t)
		for _, c := range []struct {
			format  vk.Format
			binding uint32
			takes   bool
		}{
			{vk.FormatR8G8B8A8Unorm, 0, anywhere}, {vk.FormatR8G8B8A8Srgb, 0, false}, {vk.FormatD16Unorm, 0, false}, {vk.FormatR8G8B8A8Unorm, 1, false},
		} {
			im := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: c.format, Extent: vk.Extent3D{Width: 4, Height: 4, Depth: 1}, Usage: vk.ImageUsageSampledBit}, nil, 0, ""))(t)
			v := must(d.NewImageView(im, resource.ViewDesc{}, ""))(t)
			told = ""
			err := s.Update(DescriptorWrite{Binding: c.binding, Descriptors: []Descriptor{{View: v}}})
			if (err == nil) != c.takes || !strings.HasPrefix(told, "VUID-VkWriteDescriptorSet-descriptorType-0033") {
				t.Errorf("%v of %v in binding %d: %v, told %q", anywhere, c.format, c.binding, err, told)
			}
		}
	}
}
