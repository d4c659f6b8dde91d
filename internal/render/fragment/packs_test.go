package fragment

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// Quads share places where the shader is worth it, and only on attachments whose pixels have a word.
func TestPacks_LongShadersAndWords(t *testing.T) {
	long := &ir.Program{Insts: make([]ir.Inst, 4*PacksFrom)}
	images := &ir.Program{Insts: make([]ir.Inst, PacksFrom-imageWorth), ImageOps: make([]ir.ImageOp, 1)}
	for name, c := range map[string]struct {
		shader  *ir.Program
		bytes   int
		samples int
		want    bool
	}{
		"long": {long, 4, 1, true}, "short": {&ir.Program{Insts: make([]ir.Inst, PacksFrom-1)}, 4, 1, false},
		"images": {images, 4, 1, true}, "images for four samples": {images, 4, 4, false}, "long for four samples": {long, 1, 4, true},
		"small pixels": {long, 2, 1, false}, "small samples": {long, 1, 2, false},
	} {
		x := NewCommon(vm.New(vm.Options{Native: true}))
		pl := &Pass{Common: &x, Plan: tile.Plan{Samples: c.samples}}
		st := &State{}
		pl.Color[1] = &tile.Attachment{Samples: c.samples, Info: &format.Info{BlockBytes: c.bytes}}
		st.Color[1] = &fragops.Color{}
		if got := st.packs(pl, c.shader, false); got != (c.want && x.packsQuads()) {
			t.Errorf("%s: packed is %v", name, got)
		}
	}
}
