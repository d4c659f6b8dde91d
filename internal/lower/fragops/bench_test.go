package fragops_test

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/format"
	ref "github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/vk"
)

// BenchmarkLower makes programs of a key, as the first draw with a state does.
func BenchmarkLower(b *testing.B) {
	over := vk.PipelineColorBlendAttachmentState{BlendEnable: true, ColorWriteMask: 15, SrcColorBlendFactor: vk.BlendFactorSrcAlpha, DstColorBlendFactor: vk.BlendFactorOneMinusSrcAlpha,
		SrcAlphaBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorOneMinusSrcAlpha}
	e := vm.New(vm.Options{})
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatB10G11R11UfloatPack32} {
		info, _ := format.Lookup(f)
		c, err := ref.NewColor(ref.ColorDesc{Info: info, WriteEnable: true, State: over})
		if err != nil {
			b.Fatal(err)
		}
		k := fragops.KeyOf(&c.ColorState)
		b.Run(f.String(), func(b *testing.B) {
			n := 0
			for b.Loop() {
				l, err := fragops.Lower(k, fragops.All(1))
				if err != nil {
					b.Fatal(err)
				}
				n = len(l.Insts)
			}
			b.ReportMetric(float64(n), "instructions")
		})
		b.Run(f.String()+"/compiled", func(b *testing.B) {
			for b.Loop() {
				l, err := fragops.Lower(k, fragops.All(1))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := e.Compile(l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
