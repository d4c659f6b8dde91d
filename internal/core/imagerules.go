package core

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/vk"
)

// Image instructions of shaders run whatever their images and samplers are, and give what
// comes naturally (IMG-001). With Config.CheckImages a program is told where they do not
// fit, when they run: each place of a pipeline once a rule. What SPIR-V says by itself is told when
// a module is made (moduleFaults), and what constants break when a pipeline is.
//
// A draw whose descriptors all fit costs a look at which they are. One with a misfit runs on code that asks before
// each image instruction, so that nobody is told of what a branch leaves out, or of elements of arrays that no lane takes.
//
// IMG-002 textures-operation-validation

// ImageFeatures are the features, and limits, that rules of image instructions depend on; zero: all are on.
type ImageFeatures = sampling.Features

// elsewhere are the rules that are not for draws to find: what SPIR-V says by itself is found in the module, offsets when the
// pipeline is made, and layouts are Config.TrackLayouts'.
//
// A comparison of a sampler with a reduction (IMG-139) is refused.
var elsewhere = []string{"IMG-110", "IMG-114", "IMG-139", "IMG-168", "IMG-169", "IMG-170", "IMG-172", "IMG-173", "IMG-174", "IMG-177", "IMG-179", "IMG-190"}

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

// imagePlace is an image instruction of a pipeline, and a rule: a stage, and where it begins in the module.
type imagePlace struct {
	program, word int
	rule          string
}

// imageUse is an image operation of a program.
type imageUse struct {
	op       int
	in       *sampling.Instruction // as the shader states it
	element  [3]uint32             // of image, sampler and second image
	constant [3]bool               // each is the one element that is taken
}

// imageUses are those of a pipeline's programs, and whether descriptors were found to fit them.
type imageUses struct {
	once sync.Once
	of   [][]imageUse  // by program
	take [][]imageTake // likewise

	mu   sync.Mutex
	fits map[[2]uint64]bool // by program and mark; empty after something was told
}

// maxFits bounds imageUses.fits.
const maxFits = 1 << 12

// found is what is known of descriptors.
func (u *imageUses) found(key [2]uint64) (fits, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	fits, ok = u.fits[key]
	return fits, ok
}

// keep keeps what was found.
func (u *imageUses) keep(key [2]uint64, fits bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.fits) >= maxFits {
		clear(u.fits)
	}
	u.fits[key] = fits
}

// forget forgets it: what has been told of is as good as what fits.
func (u *imageUses) forget() {
	u.mu.Lock()
	defer u.mu.Unlock()
	clear(u.fits)
}

// imageUsesOf finds the image operations of a program whose descriptors can be told of.
func (p *Pipeline) imageUsesOf(program int) []imageUse {
	p.imaging.once.Do(func() {
		p.imaging.of, p.imaging.take = make([][]imageUse, len(p.programs)), make([][]imageTake, len(p.programs))
		p.imaging.fits = map[[2]uint64]bool{}
		for i, prog := range p.programs {
			p.imaging.of[i] = findImageUses(prog)
			p.imaging.take[i] = takes(prog, p.imaging.of[i])
		}
	})
	return p.imaging.of[program]
}

func findImageUses(prog *ir.Program) (list []imageUse) {
	found := map[int]int{}
	eachInst(prog, &prog.Body, func(in *ir.Inst) {
		if in.Op != ir.OpImage || in.Imm >= uint64(len(prog.ImageSites)) {
			return
		}
		o := &prog.ImageOps[in.Imm]
		if o.Residency || o.Image >= len(prog.Resources) {
			return
		}
		switch prog.Resources[o.Image].Kind {
		case ir.SampledImage, ir.CombinedImageSampler, ir.StorageImage, ir.InputAttachment, ir.UniformTexelBuffer, ir.StorageTexelBuffer:
		default:
			return
		}
		u := imageUse{op: int(in.Imm), in: stated(o, &prog.ImageSites[in.Imm], prog.Resources[o.Image].Kind), constant: [3]bool{false, true, true}}
		element := func(k, at int) {
			if at < len(in.More) {
				x := &prog.Insts[in.More[at]]
				u.constant[k], u.element[k] = x.Op == ir.OpConst, uint32(x.Imm)
			}
		}
		element(0, 0)
		at := 1
		if o.Sampler >= 0 {
			element(1, 1)
			at = 2
		}
		if o.Kind.Takes2() {
			element(2, at+o.Coords)
		}
		if k, twice := found[u.op]; twice {
			for e := range u.constant {
				list[k].constant[e] = list[k].constant[e] && u.constant[e] && list[k].element[e] == u.element[e]
			}
			return
		}
		found[u.op] = len(list)
		list = append(list, u)
	})
	return list
}

// resources are those of an instruction: image, sampler and second image, -1 where it has none.
func imageResources(o *ir.ImageOp) [3]int {
	r := [3]int{o.Image, o.Sampler, -1}
	if o.Kind.Takes2() {
		r[2] = o.Second
	}
	return r
}

// checkImages holds the image instructions of a program against its descriptors. Where one does not fit, it returns what is to
// be told of those that run (exec.Context.Images).
func (r *runner) checkImages(b *bindPoint, program int, bound [][]exec.Descriptor) func(op int, element [3]uint32) {
	p := b.pipeline
	prog := p.programs[program]
	uses := p.imageUsesOf(program)
	if len(uses) == 0 {
		return nil
	}
	key := [2]uint64{uint64(program), markImages(p.imaging.take[program], bound)}
	fits, ok := p.imaging.found(key)
	if !ok {
		fits = true
		weights := false // IMG-184 is about texels, which change
		for i := range uses {
			fits = fits && !r.misfits(p, program, &uses[i], bound)
			weights = weights || uses[i].in.Kind == ir.ImageWeighted
		}
		if !weights {
			p.imaging.keep(key, fits)
		}
	}
	if fits {
		return nil
	}
	dev, op := r.dev, r.op
	index := make([]int, len(prog.ImageOps))
	for i := range uses {
		index[uses[i].op] = i + 1
	}
	return func(at int, element [3]uint32) {
		if at >= len(index) || index[at] == 0 {
			return
		}
		u := &uses[index[at]-1]
		list := dev.brokenImage(p, program, u, element, bound)
		list = slices.DeleteFunc(list, func(e *sampling.RuleError) bool {
			_, told := p.told.LoadOrStore(imagePlace{program, prog.ImageSites[u.op].Word, e.Rule}, true)
			return told
		})
		if len(list) > 0 {
			p.imaging.forget()
			site := &prog.ImageSites[u.op]
			_ = dev.report(&Error{Op: string(op), Rule: list[0].Rule, Detail: fmt.Sprintf("%s on %s: %s", p.imageText(program, site), imageResource(prog, u.op, element[0]), broken(list))})
		}
	}
}

// imageText names an image instruction of a pipeline.
func (p *Pipeline) imageText(program int, site *ir.ImageSite) string {
	where := ""
	if at := site.Source.String(); at != "" {
		where = ", " + at
	}
	return fmt.Sprintf("%s%s: %s of the %s shader", p.describe(), where, site.Inst, stageName(p.programs[program].Stage))
}

// imageResource names the descriptor of an image operation.
func imageResource(prog *ir.Program, op int, element uint32) string {
	res := &prog.Resources[prog.ImageOps[op].Image]
	if res.Heap {
		return fmt.Sprintf("element %d of the resource heap", element)
	}
	text := fmt.Sprintf("set %d, binding %d", res.Set, res.Binding)
	if res.Count != 1 {
		text += fmt.Sprintf(", element %d", element)
	}
	return text
}

// imageTake is a resource of image instructions, or one element of it.
type imageTake struct {
	resource int
	element  uint32
	constant bool
}

// takes are those of a program's instructions, each once.
func takes(prog *ir.Program, uses []imageUse) (list []imageTake) {
	for i := range uses {
		for k, resource := range imageResources(&prog.ImageOps[uses[i].op]) {
			t := imageTake{resource: resource, constant: uses[i].constant[k]}
			if t.constant {
				t.element = uses[i].element[k]
			}
			if resource >= 0 && !slices.Contains(list, t) {
				list = append(list, t)
			}
		}
	}
	return list
}

// markImages is a number for the descriptors that instructions can have: others have another one.
func markImages(take []imageTake, bound [][]exec.Descriptor) uint64 {
	h := uint64(14695981039346656037)
	mix := func(x uint64) {
		h = (h ^ x) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	for _, t := range take {
		list := bound[t.resource]
		switch {
		case t.constant:
			list = list[min(int(t.element), len(list)):min(int(t.element)+1, len(list))]
		case len(list) > maxMarked: // sets are copied where they change
			mix(uint64(reflect.ValueOf(list).Pointer()))
			mix(uint64(len(list)))
			list = list[len(list)-maxMarked:]
		}
		for e := range list {
			d := &list[e]
			mix(d.View.Number()<<1 ^ d.Sampler.Number()<<32 ^ d.Texel.Number()<<1 ^ 1)
		}
	}
	return h
}

const (
	// maxMarked is how many elements of an array are looked at one by one to see whether the array is another one.
	maxMarked = 256
	// maxPairs is how many pairs of an array's images and another's samplers are held against the rules before something is
	// drawn. Those after them are not looked at.
	maxPairs = 1 << 16
)

// misfits says that an instruction has descriptors that break a rule of which nobody has been told.
func (r *runner) misfits(p *Pipeline, program int, u *imageUse, bound [][]exec.Descriptor) bool {
	prog := p.programs[program]
	o := &prog.ImageOps[u.op]
	at := imageResources(o)
	var from, to [3]uint32
	for k, resource := range at {
		switch {
		case resource < 0:
			to[k] = 1
		case u.constant[k]:
			from[k], to[k] = u.element[k], u.element[k]+1
		default:
			to[k] = uint32(len(bound[resource]))
		}
	}
	left := maxPairs
	type pair struct{ view, texel, own, sampler, second uint64 }
	var pairs map[pair]bool // that were asked about
	if to[0]-from[0] > 1 {
		pairs = map[pair]bool{}
	}
	combined := at[0] == at[1] && !u.constant[0] && !u.constant[1]
	for i := from[0]; i < to[0]; i++ {
		for j := from[1]; j < to[1]; j++ {
			if combined { // with its own sampler
				j = i
			}
			for k := from[2]; k < to[2]; k++ {
				if left--; left < 0 {
					return false
				}
				element := [3]uint32{i, j, k}
				if pairs != nil {
					of := pair{view: bound[at[0]][i].View.Number(), texel: bound[at[0]][i].Texel.Number()}
					if at[1] >= 0 && uint64(j) < uint64(len(bound[at[1]])) {
						of.sampler = bound[at[1]][j].Sampler.Number()
					}
					if at[2] >= 0 && uint64(k) < uint64(len(bound[at[2]])) {
						of.second, of.own = bound[at[2]][k].View.Number(), bound[at[2]][k].Sampler.Number()
					}
					if pairs[of] {
						continue
					}
					pairs[of] = true
				}
				for _, e := range r.dev.brokenImage(p, program, u, element, bound) {
					if _, told := p.told.Load(imagePlace{program, prog.ImageSites[u.op].Word, e.Rule}); !told {
						return true
					}
				}
			}
			if combined {
				break
			}
		}
	}
	return false
}

// brokenImage are the rules that an instruction breaks on elements of its descriptors.
func (d *Device) brokenImage(p *Pipeline, program int, u *imageUse, element [3]uint32, bound [][]exec.Descriptor) []*sampling.RuleError {
	prog := p.programs[program]
	on, ok := d.bound(prog, u, element, bound)
	if !ok {
		return nil
	}
	site := &prog.ImageSites[u.op]
	return slices.DeleteFunc(sampling.ValidateAll(u.in, on, d.cfg.ImageFeatures), func(e *sampling.RuleError) bool { return !known(site, e.Rule) })
}

// bound is what an instruction is used on; false where that is nothing, or not known.
func (d *Device) bound(prog *ir.Program, u *imageUse, element [3]uint32, bound [][]exec.Descriptor) (*sampling.Bound, bool) {
	o := &prog.ImageOps[u.op]
	at := func(k int) *exec.Descriptor {
		resource := imageResources(o)[k]
		if resource < 0 || uint64(element[k]) >= uint64(len(bound[resource])) {
			return nil
		}
		return &bound[resource][element[k]]
	}
	im := at(0)
	if im == nil {
		return nil, false
	}
	on := &sampling.Bound{View: im.View, Texel: im.Texel}
	kind := prog.Resources[o.Image].Kind
	switch kind {
	case ir.UniformTexelBuffer, ir.StorageTexelBuffer:
		return on, on.Texel != nil
	case ir.StorageImage:
		on.Storage = true
	case ir.InputAttachment:
		on.Input = true
	}
	if on.View == nil {
		return nil, false
	}
	on.SingleLayer = on.View.Image != nil && on.View.Image.Flags&vk.ImageCreateAliasSingleLayerDescriptorBitKHR != 0
	on.ViewConversion = on.View.Ycbcr
	if o.Sampler >= 0 {
		s := at(1)
		if s == nil || s.Sampler == nil {
			return nil, false
		}
		if on.Sampler = s.Sampler; !d.cfg.ViewConversions {
			on.ViewConversion = on.Sampler.Ycbcr
		}
	}
	if o.Kind.Takes2() {
		second := at(2)
		if second == nil || second.View == nil {
			return nil, false
		}
		if on.Second, on.SecondSampler = second.View, on.Sampler; second.Sampler != nil {
			on.SecondSampler = second.Sampler
		}
	}
	return on, true
}

// stated is an instruction as its shader states it.
func stated(o *ir.ImageOp, site *ir.ImageSite, kind ir.ResourceKind) *sampling.Instruction {
	in := &sampling.Instruction{
		Kind: o.Kind, GatherQCOM: o.Kind == ir.ImageGather && site.Inst == "OpImageGatherQCOM", Dim: o.Dim, Arrayed: o.Arrayed, MS: o.MS, Sampled: 1,
		Implicit: o.Lod == ir.LodImplicit || o.Lod == ir.LodBias, Dref: o.Dref, Proj: o.Proj, Component: int(o.GatherComp), Format: site.Format,
		Float: o.Result == ir.ClassFloat, Wide: o.Wide, Signed: o.Result == ir.ClassSint, Texel: site.Texel, Granularity: int(o.Granularity), Match: o.Match,
		Operands: sampling.Operands{Bias: o.Lod == ir.LodBias, Lod: o.Lod == ir.LodExplicit, Grad: o.Lod == ir.LodGrad, MinLod: o.HasMinLod, Sample: o.HasSample,
			Offset: site.Offset, ConstOffset: site.ConstOffset, ConstOffsets: site.ConstOffsets, SignExtend: site.SignExtend, ZeroExtend: site.ZeroExtend},
	}
	for _, x := range site.Offsets {
		in.Operands.Offsets = append(in.Operands.Offsets, int(x))
	}
	switch o.Kind {
	case ir.ImageBoxFilter:
		in.BoxW, in.BoxH = math.Float32frombits(site.Size[0]), math.Float32frombits(site.Size[1])
	case ir.ImageBlockMatch:
		in.BlockW, in.BlockH = int(int32(site.Size[0])), int(int32(site.Size[1]))
		in.RefX, in.RefY = int(int32(site.Reference[0])), int(int32(site.Reference[1]))
	}
	switch kind {
	case ir.StorageImage, ir.StorageTexelBuffer:
		in.Sampled = 2
	case ir.InputAttachment: // OpImageRead of a SubpassData image
		in.Sampled, in.Kind = 2, ir.ImageRead
	}
	if o.Kind == ir.ImageFootprint {
		in.Kind, in.Footprint, in.Float = ir.ImageSample, true, site.Float
	}
	return in
}

// checkOffsets tells of the offsets of a new pipeline's image instructions that are constants out of range.
//
// IMG-170
func (p *Pipeline) checkOffsets(op Op) {
	if !p.dev.cfg.CheckImages {
		return
	}
	for i, prog := range p.programs {
		for k := range prog.ImageSites {
			site := &prog.ImageSites[k]
			if len(site.Offsets) == 0 || prog.ImageOps[k].Residency {
				continue
			}
			low, high := int32(resource.MinTexelOffset), int32(resource.MaxTexelOffset)
			if prog.ImageOps[k].Kind == ir.ImageGather {
				low, high = resource.MinTexelGatherOffset, resource.MaxTexelGatherOffset
			}
			at := slices.IndexFunc(site.Offsets, func(x int32) bool { return x < low || x > high })
			if at < 0 {
				continue
			}
			if _, told := p.told.LoadOrStore(imagePlace{i, site.Word, "IMG-170"}, true); !told {
				_ = p.dev.report(&Error{Op: string(op), Rule: "IMG-170", Detail: fmt.Sprintf("%s has an offset of %d, outside %d…%d", p.imageText(i, site), site.Offsets[at], low, high)})
			}
		}
	}
}

// faultsTold are the modules of whose faults a program has been told.
type faultsTold struct {
	mu   sync.Mutex
	seen map[ModuleIdentifier]struct{}
}

// maxFaultsTold bounds faultsTold.seen.
const maxFaultsTold = 1 << 12

// tellFaults tells of the rules of image instructions that a module breaks by itself, once a device.
func (d *Device) tellFaults(op Op, s *ShaderModule) {
	if !d.cfg.CheckImages || d.cfg.Debug == nil {
		return
	}
	d.faults.mu.Lock()
	_, seen := d.faults.seen[s.digest]
	if !seen {
		if d.faults.seen == nil || len(d.faults.seen) >= maxFaultsTold {
			d.faults.seen = map[ModuleIdentifier]struct{}{}
		}
		d.faults.seen[s.digest] = struct{}{}
	}
	d.faults.mu.Unlock()
	if seen {
		return
	}
	m := s.module
	for _, f := range m.ImageFaults(spirv.ImageRules{ConstantOffsets: d.cfg.ImageFeatures.NoOffsetOperand}) {
		where := fmt.Sprintf("word %d", f.Inst.WordOffset)
		at := ir.Source{File: m.String(f.Inst.Line.File), Line: f.Inst.Line.Line}
		if text := at.String(); text != "" {
			where = text + ", " + where
		}
		detail := fmt.Sprintf("%s, %s: %v: %s", s.label(), where, f.Inst.Op, f.Detail)
		if f.VUID != "" {
			detail += " (" + f.VUID + ")"
		}
		_ = d.report(&Error{Op: string(op), Rule: f.Rule, Detail: detail})
	}
}
