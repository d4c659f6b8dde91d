package core

import (
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
	rules.Covers(t, "IMG-002", "IMG-111", "IMG-112", "IMG-135", "IMG-136", "IMG-145", "IMG-151")
	type told struct{ rule, text string }
	const color, depth = vk.FormatR8G8B8A8Unorm, vk.FormatD16Unorm
	array := vk.ImageViewType2DArray
	swap := vk.ComponentMapping{R: vk.ComponentSwizzleB}
	for name, c := range map[string]struct {
		plain, store, format vk.Format // of the images of bindings 1 and 3, of the view of 3
		view, written        resource.ViewDesc
		compare, shadow      bool // of the samplers of bindings 1 and 2
		rule, line           string
	}{
		"all fits":                  {plain: color, store: color, shadow: true},
		"arrayed":                   {plain: color, store: color, shadow: true, view: resource.ViewDesc{Type: &array}, rule: "IMG-145", line: ":10"},
		"integers":                  {plain: vk.FormatR8G8B8A8Uint, store: color, shadow: true, rule: "IMG-112", line: ":10"},
		"a comparison not asked of": {plain: color, store: color, shadow: true, compare: true, rule: "IMG-136", line: ":10"},
		"no comparison":             {plain: color, store: color, rule: "IMG-135", line: ":11"},
		"another Image Format":      {plain: color, store: vk.FormatR16G16B16A16Sfloat, shadow: true, rule: "IMG-111", line: ":12"},
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
					DescriptorWrite{Binding: 4, Descriptors: []Descriptor{{View: view(vk.FormatR8G8B8A8Uint, resource.ViewDesc{}), Sampler: sampler(false)}}},
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
			case len(first) != 1 || first[0].rule != c.rule || !strings.Contains(first[0].text, "rules.comp"+c.line+" "):
				t.Errorf("%s: told %q, want %s once, line %s", name, first, c.rule, c.line)
			}
			d.Close()
		}
	}
}
