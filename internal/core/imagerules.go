package core

import (
	"fmt"
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/sampling"
)

// Image instructions of shaders run whatever their images and samplers are, and give what
// comes naturally (IMG-001). With Config.CheckImages a program is told where they do not
// fit: each place of a pipeline once.
//
// IMG-002 textures-operation-validation

// elsewhere are the rules that are not for draws to find: what SPIR-V says by itself its
// validation has found, layouts are Config.TrackLayouts', and of some operands the
// values are known in lanes only.
var elsewhere = []string{"IMG-110", "IMG-114", "IMG-170", "IMG-172", "IMG-173", "IMG-174", "IMG-177", "IMG-179"}

// features are what a device has, whether a program asked for it or not.
var features = sampling.Features{BlockMatchExtendedClamp: true}

// known says whether a program shows what a rule is about: sizes and places of blocks are known where they are constants.
func known(site *ir.ImageSite, rule string) bool {
	switch rule {
	case "IMG-185", "IMG-187":
		return site.Sized
	case "IMG-188":
		return site.Sized && site.Placed
	}
	return !slices.Contains(elsewhere, rule)
}

// imagePlace is an image instruction of a pipeline: a stage, and its number there.
type imagePlace struct{ program, op int }

// checkImages holds the image instructions of a program against what their descriptors
// hold. Which elements of arrays are accessed is not known here.
func (r *runner) checkImages(b *bindPoint, program int) {
	p := b.pipeline.programs[program]
	for i := range p.ImageSites {
		o := &p.ImageOps[i]
		if o.Residency || o.Dim == ir.DimBuffer || o.Image >= len(p.Resources) {
			continue
		}
		on, ok := b.bound(program, o)
		if !ok {
			continue
		}
		site := &p.ImageSites[i]
		in := stated(o, site, on.Storage)
		list := slices.DeleteFunc(sampling.ValidateAll(in, on, features), func(e *sampling.RuleError) bool { return !known(site, e.Rule) })
		if len(list) == 0 {
			continue
		}
		if _, told := b.pipeline.told.LoadOrStore(imagePlace{program, i}, true); told {
			continue
		}
		where := ""
		if at := site.Source.String(); at != "" {
			where = ", " + at
		}
		res := &p.Resources[o.Image]
		_ = r.dev.report(&Error{Op: r.op, Rule: list[0].Rule, Detail: fmt.Sprintf("%s%s reads or writes set %d, binding %d: %s", b.pipeline.label(), where, res.Set, res.Binding, broken(list))})
	}
}

// bound is what an instruction is used on; false where that is nothing, or not known.
func (b *bindPoint) bound(program int, o *ir.ImageOp) (*sampling.Bound, bool) {
	p := b.pipeline.programs[program]
	owner := func(resource int) *owner {
		if owners := b.slotOf(program, resource).owners; len(owners) == 1 {
			return &owners[0]
		}
		return nil
	}
	on := &sampling.Bound{}
	switch p.Resources[o.Image].Kind {
	case ir.SampledImage, ir.CombinedImageSampler:
	case ir.StorageImage:
		on.Storage = true
	default:
		return nil, false
	}
	im := owner(o.Image)
	if im == nil || im.view == nil {
		return nil, false
	}
	if on.View = im.view.view; on.Storage {
		on.View = im.view.storage
	}
	if o.Sampler >= 0 {
		s := owner(o.Sampler)
		if s == nil || s.sampler == nil {
			return nil, false
		}
		on.Sampler, on.ViewConversion = s.sampler.state, s.sampler.state.Ycbcr
	}
	if o.Kind.Takes2() {
		second := owner(o.Second)
		if second == nil || second.view == nil {
			return nil, false
		}
		if on.Second, on.SecondSampler = second.view.view, on.Sampler; second.sampler != nil {
			on.SecondSampler = second.sampler.state
		}
	}
	return on, true
}

// stated is an instruction as its shader states it.
func stated(o *ir.ImageOp, site *ir.ImageSite, storage bool) *sampling.Instruction {
	in := &sampling.Instruction{
		Kind: o.Kind, GatherQCOM: o.Kind == ir.ImageGather && o.NearestOrigin, Dim: o.Dim, Arrayed: o.Arrayed, MS: o.MS, Sampled: 1,
		Implicit: o.Lod == ir.LodImplicit || o.Lod == ir.LodBias, Dref: o.Dref, Proj: o.Proj, Component: int(o.GatherComp), Format: site.Format,
		Float: o.Result == ir.ClassFloat, Wide: o.Wide, Signed: o.Result == ir.ClassSint, Texel: 4, Granularity: int(o.Granularity), Match: o.Match,
		Operands: sampling.Operands{Bias: o.Lod == ir.LodBias, Lod: o.Lod == ir.LodExplicit, Grad: o.Lod == ir.LodGrad, MinLod: o.HasMinLod, Sample: o.HasSample, Offset: o.HasOffset,
			SignExtend: site.SignExtend, ZeroExtend: site.ZeroExtend},
	}
	switch o.Kind {
	case ir.ImageBoxFilter:
		in.BoxW, in.BoxH = math.Float32frombits(site.Size[0]), math.Float32frombits(site.Size[1])
	case ir.ImageBlockMatch:
		in.BlockW, in.BlockH = int(int32(site.Size[0])), int(int32(site.Size[1]))
		in.RefX, in.RefY = int(int32(site.Reference[0])), int(int32(site.Reference[1]))
	}
	if storage {
		in.Sampled = 2
	}
	if o.Kind == ir.ImageFootprint {
		in.Kind, in.Footprint = ir.ImageSample, true
	}
	return in
}
