package core

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V -g --target-env vulkan1.2 -o testdata/rules.comp.spv testdata/rules.comp

// What does not fit is told with rule and line, once a pipeline and place, and run all
// the same; without Config.CheckImages nobody looks.
func TestCheckImages_IMG002_TellsOncePerPipelineAndPlace(t *testing.T) {
	rules.Covers(t, "IMG-002", "IMG-111", "IMG-112", "IMG-113", "IMG-135", "IMG-136", "IMG-145", "IMG-151")
	type told struct{ rule, text string }
	const color, depth = vk.FormatR8G8B8A8Unorm, vk.FormatD16Unorm
	array := vk.ImageViewType2DArray
	swap := vk.ComponentMapping{R: vk.ComponentSwizzleB}
	for name, c := range map[string]struct {
		plain, store, whole vk.Format // of the images of bindings 1, 3 and 4 (0: unsigned integers)
		view, written       resource.ViewDesc
		compare, shadow     bool // of the samplers of bindings 1 and 2
		rule, line          string
	}{
		"all fits":                  {plain: color, store: color, shadow: true},
		"arrayed":                   {plain: color, store: color, shadow: true, view: resource.ViewDesc{Type: &array}, rule: "IMG-145", line: ":10"},
		"integers":                  {plain: vk.FormatR8G8B8A8Uint, store: color, shadow: true, rule: "IMG-112", line: ":10"},
		"a comparison not asked of": {plain: color, store: color, shadow: true, compare: true, rule: "IMG-136", line: ":10"},
		"no comparison":             {plain: color, store: color, rule: "IMG-135", line: ":11"},
		"another Image Format":      {plain: color, store: vk.FormatR16G16B16A16Sfloat, shadow: true, rule: "IMG-111", line: ":12"},
		"signed integers":           {plain: color, store: color, shadow: true, whole: vk.FormatR8G8B8A8Sint, rule: "IMG-113", line: ":13"},
		"a swizzle":                 {plain: color, store: color, shadow: true, written: resource.ViewDesc{Components: swap}, rule: "IMG-151", line: ":12"},
	} {
		for _, check := range []bool{true, false} {
			var list []told
			d, err := Open(Config{Threads: 1, CheckImages: check, Debug: func(m Message) { list = append(list, told{m.Rule, m.Text}) }})
			if err != nil {
				t.Fatal(err)
			}
			view := func(f vk.Format, desc resource.ViewDesc) *ImageView {
				return must(d.NewImageView(must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: 2, Height: 2}, MipLevels: 1}, nil, 0, ""))(t), desc, ""))(t)
			}
			sampler := func(compare bool) *Sampler {
				return must(d.NewSampler(vk.SamplerCreateInfo{CompareEnable: compare, CompareOp: vk.CompareOpLess}, 0))(t)
			}
			out := bufferOf(t, d, 77, 77)
			var first []told
			for pipelines := range 2 {
				p := must(d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "rules.comp")}}))(t)
				set := must(d.NewDescriptorSet(p.Layout().Set(0), ""))(t)
				if err := set.Update(DescriptorWrite{Descriptors: []Descriptor{{Buffer: out}}},
					DescriptorWrite{Binding: 1, Descriptors: []Descriptor{{View: view(c.plain, c.view), Sampler: sampler(c.compare)}}},
					DescriptorWrite{Binding: 2, Descriptors: []Descriptor{{View: view(depth, resource.ViewDesc{}), Sampler: sampler(c.shadow)}}},
					DescriptorWrite{Binding: 4, Descriptors: []Descriptor{{View: view(cmp.Or(c.whole, vk.FormatR8G8B8A8Uint), resource.ViewDesc{}), Sampler: sampler(false)}}},
					DescriptorWrite{Binding: 3, Descriptors: []Descriptor{{View: view(c.store, c.written)}}}); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				list = nil
				for range 2 {
					b := d.NewCommandBuffer()
					b.BindPipeline("bind", vk.PipelineBindPointCompute, p)
					b.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, set, nil)
					b.Dispatch("Pass.Dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
					submit(t, d, b)
				}
				if words(out, 1)[0] == 77 {
					t.Errorf("%s: the shader did not run", name)
				}
				if pipelines == 0 {
					first = list
				} else if len(list) != len(first) {
					t.Errorf("%s: %d messages of the second pipeline, %d of the first", name, len(list), len(first))
				}
			}
			switch {
			case !check || c.rule == "":
				if len(first) != 0 {
					t.Errorf("%s, checked %v: told %q", name, check, first)
				}
			case len(first) != 1 || first[0].rule != c.rule || !strings.Contains(first[0].text, "rules.comp"+c.line+":"):
				t.Errorf("%s: told %q, want %s once, line %s", name, first, c.rule, c.line)
			}
			d.Close()
		}
	}
}

// Sizes and places of image processing are told of where the shader has them as constants (IMG-185, IMG-187, IMG-188).
func TestCheckImages_ConstantsOfImageProcessing(t *testing.T) {
	rules.Covers(t, "IMG-185", "IMG-187", "IMG-188")
	code := must(os.ReadFile("../lower/testdata/process.qcom.spv"))(t)
	const constant, composite = 4<<16 | 43, 5<<16 | 44 // OpConstant of 32 bits, OpConstantComposite of two
	// set changes the last n words of the k-th of the instructions that begin with first.
	set := func(code []byte, first uint32, k int, last ...uint32) {
		for at := 20; at < len(code); {
			word := binary.LittleEndian.Uint32(code[at:])
			end := at + 4*int(word>>16)
			if word == first {
				if k == 0 {
					for i, w := range last {
						binary.LittleEndian.PutUint32(code[end-4*(len(last)-i):], w)
					}
					return
				}
				k--
			}
			at = end
		}
		t.Fatal("no such instruction")
	}
	// ids of the constants 0 and 1, which are the first two.
	ids := func(code []byte) (zero, one uint32) {
		for at := 20; at < len(code); at += 4 * int(binary.LittleEndian.Uint32(code[at:])>>16) {
			if binary.LittleEndian.Uint32(code[at:]) == constant {
				zero = binary.LittleEndian.Uint32(code[at+8:])
				return zero, zero + 1
			}
		}
		return 0, 0
	}
	zero, one := ids(code)
	for name, c := range map[string]struct {
		change func(code []byte)
		rule   string
		times  int // of the two block matches, or the one box
	}{
		"all fits":                 {func([]byte) {}, "", 0},
		"a box of half a texel":    {func(b []byte) { set(b, constant, 6, math.Float32bits(0.5)) }, "IMG-185", 1},
		"a box of 65 texels":       {func(b []byte) { set(b, constant, 7, math.Float32bits(65)) }, "IMG-185", 1},
		"no columns":               {func(b []byte) { set(b, composite, 1, zero, one) }, "IMG-187", 2},
		"no rows":                  {func(b []byte) { set(b, composite, 1, one, zero) }, "IMG-187", 2},
		"a block past the edge":    {func(b []byte) { set(b, composite, 2, one, zero) }, "IMG-188", 2},
		"a block below the bottom": {func(b []byte) { set(b, composite, 2, zero, one) }, "IMG-188", 2},
	} {
		var told []string
		d, err := Open(Config{Threads: 1, CheckImages: true, Debug: func(m Message) { told = append(told, m.Rule) }})
		if err != nil {
			t.Fatal(err)
		}
		changed := bytes.Clone(code)
		c.change(changed)
		view := func(kind vk.ImageViewType, w uint32, weights resource.WeightImage) *ImageView {
			im := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: vk.Extent3D{Width: w, Height: w}, MipLevels: 1,
				Usage: vk.ImageUsageSampledBit | vk.ImageUsageSampleWeightBitQCOM | vk.ImageUsageSampleBlockMatchBitQCOM}, nil, 0, ""))(t)
			return must(d.NewImageView(im, resource.ViewDesc{Type: &kind, Weights: weights}, ""))(t)
		}
		s := must(d.NewSampler(vk.SamplerCreateInfo{Flags: vk.SamplerCreateImageProcessingBitQCOM, UnnormalizedCoordinates: true,
			AddressModeU: vk.SamplerAddressModeClampToBorder, AddressModeV: vk.SamplerAddressModeClampToBorder}, 0))(t)
		p := must(d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: changed}}))(t)
		sets := must(d.NewDescriptorSet(p.Layout().Set(0), ""))(t)
		if err := sets.Update(
			DescriptorWrite{Binding: 0, Descriptors: []Descriptor{{View: view(vk.ImageViewType2D, 3, resource.WeightImage{})}}},
			DescriptorWrite{Binding: 1, Descriptors: []Descriptor{{View: view(vk.ImageViewType2D, 2, resource.WeightImage{})}}},
			DescriptorWrite{Binding: 2, Descriptors: []Descriptor{{View: view(vk.ImageViewType2DArray, 1, resource.WeightImage{Width: 1, Height: 1, Phases: 1})}}},
			DescriptorWrite{Binding: 3, Descriptors: []Descriptor{{Sampler: s}}},
			DescriptorWrite{Binding: 4, Descriptors: []Descriptor{{Buffer: bufferOf(t, d, make([]uint32, 64)...)}}}); err != nil {
			t.Fatal(err)
		}
		b := d.NewCommandBuffer()
		b.BindPipeline("bind", vk.PipelineBindPointCompute, p)
		b.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, sets, nil)
		b.Dispatch("Pass.Dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
		submit(t, d, b)
		if len(told) != c.times || c.times > 0 && !slices.Equal(told, slices.Repeat([]string{c.rule}, c.times)) {
			t.Errorf("%s: told %q, want %s %d times", name, told, c.rule, c.times)
		}
		d.Close()
	}
}

//go:generate glslangValidator -V -g --target-env vulkan1.2 -o testdata/misfits.comp.spv testdata/misfits.comp

// What does not fit is told of when it is accessed: elements of arrays that no invocation takes, and instructions that a branch leaves
// out, break no rule. Texel buffers and sparse instructions have rules, too.
func TestCheckImages_TellsOfWhatIsAccessed(t *testing.T) {
	rules.Covers(t, "IMG-002", "IMG-111", "IMG-112", "IMG-135", "IMG-136")
	const uints, floats = vk.FormatR8G8B8A8Uint, vk.FormatR8G8B8A8Unorm
	for _, c := range []struct {
		name          string
		what, element uint32
		list          [3]vk.Format // of the images
		compare       [3]bool      // of their samplers
		read, written vk.Format
		plain         [2]vk.Format
		samplers      [2]bool
		want          []string
	}{
		{name: "nothing is accessed", list: [3]vk.Format{uints, uints, uints}, read: uints, written: uints, plain: [2]vk.Format{uints, uints}},
		{name: "a constant element", what: 1, list: [3]vk.Format{floats, uints, floats}, want: []string{"IMG-112 :15 element 1"}},
		{name: "another constant element", what: 1, list: [3]vk.Format{uints, floats, uints}},
		{name: "an element that compares", what: 1, list: [3]vk.Format{floats, floats, floats}, compare: [3]bool{false, true, false}, want: []string{"IMG-136 :15 element 1"}},
		{name: "a chosen element", what: 2, element: 1, list: [3]vk.Format{floats, uints, floats}, want: []string{"IMG-112 :17 element 1"}},
		{name: "a chosen element that fits", what: 2, element: 2, list: [3]vk.Format{floats, uints, floats}},
		{name: "an element beyond", what: 2, element: 9, list: [3]vk.Format{floats, uints, floats}},
		{name: "a texel buffer of integers", what: 3, read: uints, want: []string{"IMG-112 :19 binding 2"}},
		{name: "a texel buffer", what: 3},
		{name: "a storage texel buffer of another format", what: 4, written: vk.FormatR16G16B16A16Sfloat, want: []string{"IMG-111 :21 binding 3"}},
		{name: "a storage texel buffer", what: 4},
		{name: "a sparse instruction", what: 5, list: [3]vk.Format{floats, floats, uints}, want: []string{"IMG-112 :23 OpImageSparseSampleExplicitLod"}},
		{name: "an image and a sampler", what: 6, element: 3, samplers: [2]bool{false, true}, want: []string{"IMG-136 :25 element 1"}},
		{name: "an image and another sampler", what: 6, element: 1, samplers: [2]bool{false, true}},
		{name: "an element of each invocation", what: 7, list: [3]vk.Format{floats, uints, floats}, want: []string{"IMG-112 :27 element 1"}},
		{name: "a branch that is not taken", what: 7, element: 5, list: [3]vk.Format{floats, uints, floats}},
	} {
		for _, engine := range Engines {
			var told []string
			d, err := Open(Config{Threads: 1, Engine: engine, CheckImages: true, Debug: func(m Message) { told = append(told, m.Rule+" "+m.Text) }})
			if err != nil {
				t.Fatal(err)
			}
			view := func(f vk.Format) *ImageView {
				return must(d.NewImageView(must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: cmp.Or(f, floats), Extent: vk.Extent3D{Width: 2, Height: 2}, MipLevels: 1}, nil, 0, ""))(t), resource.ViewDesc{}, ""))(t)
			}
			sampler := func(compare bool) *Sampler {
				return must(d.NewSampler(vk.SamplerCreateInfo{CompareEnable: compare, CompareOp: vk.CompareOpLess}, 0))(t)
			}
			texels := func(f vk.Format) *BufferView {
				return must(d.NewBufferView(bufferOf(t, d, make([]uint32, 16)...), cmp.Or(f, floats), 0, 16))(t)
			}
			p := must(d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "misfits.comp")}}))(t)
			set := must(d.NewDescriptorSet(p.Layout().Set(0), ""))(t)
			out := bufferOf(t, d, make([]uint32, 8)...)
			var list []Descriptor
			for i := range c.list {
				list = append(list, Descriptor{View: view(c.list[i]), Sampler: sampler(c.compare[i])})
			}
			if err := set.Update(DescriptorWrite{Descriptors: []Descriptor{{Buffer: out}}}, DescriptorWrite{Binding: 1, Descriptors: list},
				DescriptorWrite{Binding: 2, Descriptors: []Descriptor{{Texel: texels(c.read)}}}, DescriptorWrite{Binding: 3, Descriptors: []Descriptor{{Texel: texels(c.written)}}},
				DescriptorWrite{Binding: 4, Descriptors: []Descriptor{{View: view(c.plain[0])}, {View: view(c.plain[1])}}},
				DescriptorWrite{Binding: 5, Descriptors: []Descriptor{{Sampler: sampler(c.samplers[0])}, {Sampler: sampler(c.samplers[1])}}}); err != nil {
				t.Fatal(err)
			}
			told = nil
			for range 3 {
				b := d.NewCommandBuffer()
				b.BindPipeline("bind", vk.PipelineBindPointCompute, p)
				b.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, set, nil)
				b.PushConstants("push", 0, binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, c.what), c.element))
				b.Dispatch("Pass.Dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
				submit(t, d, b)
			}
			d.Close()
			if len(told) != len(c.want) {
				t.Errorf("%s, %s: told %q, want %q", c.name, engine, told, c.want)
				continue
			}
			for i, w := range c.want {
				for _, part := range strings.Fields(strings.ReplaceAll(strings.ReplaceAll(w, "element ", "element_"), "binding ", "binding_")) {
					if !strings.Contains(told[i], strings.ReplaceAll(part, "_", " ")) {
						t.Errorf("%s, %s: told %q, which lacks %q", c.name, engine, told[i], part)
					}
				}
			}
		}
	}
}

// An input attachment is held against the rules as the image that it is.
func TestCheckImages_InputAttachments(t *testing.T) {
	rules.Covers(t, "IMG-112", "IMG-113", "IMG-149", "IMG-151")
	for name, c := range map[string]struct {
		format  vk.Format
		samples vk.SampleCountFlags
		swizzle vk.ComponentSwizzle
		rule    string
	}{
		"unsigned integers": {format: vk.FormatR32Uint, samples: 1},
		"floats":            {format: vk.FormatR32Sfloat, samples: 1, rule: "IMG-112"},
		"signed integers":   {format: vk.FormatR32Sint, samples: 1, rule: "IMG-113"},
		"four samples":      {format: vk.FormatR32Uint, samples: 4, rule: "IMG-149"},
		"a swizzle":         {format: vk.FormatR32Uint, samples: 1, swizzle: vk.ComponentSwizzleOne, rule: "IMG-151"},
	} {
		var told []string
		d := must(Open(Config{Threads: 1, CheckImages: true, Debug: func(m Message) { told = append(told, m.Rule+" "+m.Text) }}))(t)
		_, bv := target(t, d, numbers, 1, 1)
		rp := must(d.NewRenderPass(RenderPassInfo{
			Attachments: []vk.AttachmentDescription2{attach(numbers, 1, vk.AttachmentLoadOpClear), attach(numbers, 1, vk.AttachmentLoadOpClear)},
			Subpasses: []Subpass{{SubpassDescription2: vk.SubpassDescription2{
				ColorAttachments: []vk.AttachmentReference2{ref(vk.AttachmentUnused), ref(1)}, InputAttachments: []vk.AttachmentReference2{ref(0)}}}},
		}))(t)
		im := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: c.format, Extent: vk.Extent3D{Width: 16, Height: 16}, MipLevels: 1, Samples: c.samples}, nil, 0, ""))(t)
		av := must(d.NewImageView(im, resource.ViewDesc{Components: vk.ComponentMapping{G: c.swizzle}}, ""))(t)
		_, cv := target(t, d, numbers, 1, 1)
		p := fullscreen(t, d, "input1.frag", rp.Rendering(0), nil)
		for range 2 {
			b := d.NewCommandBuffer()
			b.BeginRenderPass(RenderPassBegin{Pass: rp, Views: []*ImageView{cv, bv}, Area: vk.Rect2D{Extent: vk.Extent2D{Width: 4, Height: 4}}, Clear: []vk.ClearValue{uintClear(3), uintClear(4)}})
			b.BindDescriptorSet("bind", vk.PipelineBindPointGraphics, 0, inputSet(t, p, av), nil)
			draw(b, p)
			b.EndRenderPass()
			submit(t, d, b)
		}
		d.Close()
		switch {
		case c.rule == "" && len(told) > 0:
			t.Errorf("%s: told %q", name, told)
		case c.rule != "" && (len(told) != 1 || !strings.HasPrefix(told[0], c.rule) || !strings.Contains(told[0], "OpImageRead of the fragment shader on set 0, binding 0")):
			t.Errorf("%s: told %q, want %s once", name, told, c.rule)
		}
	}
}

// A program that has run often, whose image instructions are inlined by then, tells of a misfit as soon as there is one.
func TestCheckImages_ProgramsThatRunOften(t *testing.T) {
	rules.Covers(t, "IMG-002", "IMG-112")
	for _, engine := range Engines {
		var told []string
		d := must(Open(Config{Threads: 1, Engine: engine, CheckImages: true, Debug: func(m Message) { told = append(told, m.Rule) }}))(t)
		_, tv := target(t, d, vk.FormatR8G8B8A8Unorm, 1, 1)
		p := fullscreen(t, d, "fetch.frag", vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{vk.FormatR8G8B8A8Unorm}}, nil)
		s := must(d.NewSampler(vk.SamplerCreateInfo{}, 0))(t)
		set := func(f vk.Format) *DescriptorSet {
			_, v := target(t, d, f, 1, 1)
			set := must(p.NewDescriptorSet(0))(t)
			if err := set.Write(0, 0, []Descriptor{{View: v, Sampler: s}}); err != nil {
				t.Fatal(err)
			}
			return set
		}
		fits, misfits := set(vk.FormatR8G8B8A8Unorm), set(vk.FormatR8G8B8A8Uint)
		draws := func(n int, set *DescriptorSet) {
			c := d.NewCommandBuffer()
			c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: tv}}})
			c.BindDescriptorSet("bind", vk.PipelineBindPointGraphics, 0, set, nil)
			for range n {
				draw(c, p)
			}
			c.EndRendering("end")
			submit(t, d, c)
		}
		for range 2 {
			draws(300, fits)
		}
		if len(told) > 0 {
			t.Errorf("%s: told %q of what fits", engine, told)
		}
		for range 2 {
			draws(2, misfits)
			draws(2, fits)
		}
		if !slices.Equal(told, []string{"IMG-112"}) {
			t.Errorf("%s: told %q", engine, told)
		}
		d.Close()
	}
}
