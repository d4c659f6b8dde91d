package lower_test

import (
	"encoding/binary"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Rows of a page each, every fourth of them without memory: each invocation is told of its own texels, and those that
// ask for nothing leave no trace.
func TestSparse_ResidencyByInvocation(t *testing.T) {
	rules.Covers(t, "IMG-232", "IMG-233", "IMG-234", "IMG-620", "IMG-622")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	im, err := resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: vk.Extent3D{Width: memory.PageBytes, Height: 16, Depth: 1}})
	must(err)
	s, err := memory.NewSparse(16 * memory.PageBytes)
	must(err)
	block, err := memory.New(memory.Config{}).AllocPaged(16 * memory.PageBytes)
	must(err)
	bound := func(row int) bool { return row%4 != 1 }
	for row := range int64(16) {
		if bound(int(row)) {
			must(s.Bind(row*memory.PageBytes, block, row*memory.PageBytes, memory.PageBytes))
		}
	}
	must(im.Bind(s.Bytes()[:im.Layout.Size]))
	v, err := resource.NewView(im, resource.ViewDesc{})
	must(err)
	const edge = vk.SamplerAddressModeClampToEdge
	for _, form := range forms {
		p, r := compiled(t, "residency.comp"+form)
		out := make([]byte, 4*16)
		for i := range 16 {
			out[4*i] = 7
		}
		ctx := &exec.Context{Sparse: memory.NewSparseSet([]*memory.Sparse{s})}
		for range p.Resources {
			ctx.Resources = append(ctx.Resources, []exec.Descriptor{{View: v, Sampler: &resource.Sampler{AddressModeU: edge, AddressModeV: edge}, Data: out}})
		}
		b := &exec.Batch{N: 16}
		for _, io := range p.Inputs {
			lane := make([]uint32, 64)
			for i := range 16 {
				if io.Builtin == ir.BuiltinLocalInvocationIndex || io.Component == 0 {
					lane[i] = uint32(i)
				}
			}
			b.In = append(b.In, lane)
		}
		must(r.NewThread(64).Run(ctx, b))
		for i := range 16 {
			want := uint32(7)
			if i%3 != 2 {
				if want = 0; bound(i) {
					want = 1
					if bound(min(i+1, 15)) {
						want = 3
					}
				}
			}
			if got := binary.LittleEndian.Uint32(out[4*i:]); got != want {
				t.Errorf("%q, invocation %d: %d, want %d", form, i, got, want)
			}
		}
	}
}
