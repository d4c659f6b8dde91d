package vm

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/sampling"
)

// What inlined programs find of images and samplers. Those that all lanes share are looked up before
// a batch. Where lanes name elements of arrays, an element gets a slot when a lane first meets it in
// an instruction that Go runs, be it of a program that is not inlined, or for the lanes that one
// leaves: so arrays may be long, and cost what they are used for.

// boundSite is what is bound of an operation, by slot (texel.Site): slot 0 is what all lanes share,
// or nothing. A query has all elements of its array for slots.
type boundSite struct {
	images []boundImage
	// counts are the lengths of the arrays of images and samplers that lanes name, 1 where they name
	// none, and 0 where the arrays are too long.
	counts [2]uint32
	params []byte
	memory []exec.Descriptor
	block  [1]exec.Descriptor // of params
	table  [1]exec.Descriptor // of slots
	plan   texel.Inlined      // of the slot that is being looked at
}

// boundImage is what a slot has.
type boundImage struct {
	element [2]uint32 // of images and of samplers
	view    *resource.ImageView
	texels  *resource.BufferView
	sampler *resource.Sampler
	group   int // of the site's keys, from 1 on; 0: there is none for it
}

// is says that an image is that of a descriptor, which it is from now on.
func (x *boundImage) is(d *exec.Descriptor) bool {
	if x.view == d.View && x.texels == d.Texel && x.sampler == d.Sampler {
		return true
	}
	x.view, x.texels, x.sampler, x.group = d.View, d.Texel, d.Sampler, 0
	return false
}

// bind looks at the descriptors of a site, and says whether they are those of the last time.
func (x *boundSite) bind(t *thread, op *ir.ImageOp, site *imageSite) bool {
	var base [2]uint32 // what all lanes share
	n, counts := 1, [2]uint32{1, 1}
	list := t.Elements(int64(op.Image))
	switch {
	case !site.each[0]:
		base[0] = site.image.of(t)
	case texel.Asks(op):
		if n = len(list); n > texel.MaxAnswers {
			n = 0
		}
	default:
		counts[0] = uint32(min(len(list), math.MaxInt32))
	}
	if shared := op.Sampler >= 0 && !site.own; shared && site.each[1] {
		counts[1] = uint32(min(len(t.Elements(int64(op.Sampler))), math.MaxInt32))
	} else if shared {
		base[1] = site.sampler.of(t)
	}
	same := true
	if named := site.named(op); named {
		if same = counts == x.counts; !same {
			x.forget(counts)
		}
	} else {
		same = n == len(x.images)
		for len(x.images) < n {
			x.images = append(x.images, boundImage{element: [2]uint32{uint32(len(x.images))}})
		}
		x.images = x.images[:n]
	}
	for i := range x.images {
		im := &x.images[i]
		if i == 0 && site.named(op) {
			continue
		}
		for k := range base {
			if !site.each[k] {
				im.element[k] = base[k]
			}
		}
		d := x.descriptor(t, op, site, im.element)
		same = im.is(&d) && same
	}
	return same
}

// named says that lanes name elements, which have slots.
func (s *imageSite) named(op *ir.ImageOp) bool {
	return (s.each[0] || s.each[1]) && !texel.Asks(op)
}

// forget makes all slots but the first free, for arrays of some lengths.
func (x *boundSite) forget(counts [2]uint32) {
	if n := uint64(counts[0]) * uint64(counts[1]); n > texel.MaxPairs {
		counts = [2]uint32{}
	}
	x.counts = counts
	x.images = append(x.images[:0], boundImage{})
	bytes := 4 * (2 + int(counts[0]*counts[1]))
	to := slices.Grow(x.table[0].Data[:0], bytes)[:bytes]
	clear(to)
	binary.LittleEndian.PutUint32(to, counts[0])
	binary.LittleEndian.PutUint32(to[4:], counts[1])
	x.table[0].Data = to
}

// descriptor is what elements lead to.
func (x *boundSite) descriptor(t *thread, op *ir.ImageOp, site *imageSite,
	element [2]uint32) exec.Descriptor {
	d := t.descriptor(int64(op.Image), element[0])
	if op.Sampler >= 0 && !site.own {
		d.Sampler = t.descriptor(int64(op.Sampler), element[1]).Sampler
	}
	return d
}

// slot is where the table has the slot of elements; nil where it has none.
func (x *boundSite) slot(site *imageSite, element [2]uint32) []byte {
	at := uint32(0)
	for k, each := range site.each {
		if !each {
			continue
		}
		if element[k] >= x.counts[k] {
			return nil
		}
		at = at*x.counts[k] + element[k]
	}
	return x.table[0].Data[8+4*at:]
}

// learn gives elements that lanes of an instruction have named a slot. A thread of an inlined program
// that is running sees what is new: the slot comes last into the table.
func (s *inlineState) learn(t *thread, number int, element [2]uint32) {
	ops := s.n.program.ImageOps
	number = s.n.first[number%len(ops)]
	site, x, op := &s.n.sites[number], &s.bound[number], &ops[number]
	if !site.known || !site.named(op) || x.counts[0]*x.counts[1] == 0 {
		return
	}
	at := x.slot(site, element)
	if at == nil || binary.LittleEndian.Uint32(at) != 0 || len(x.images) >= texel.Slots(op) {
		return
	}
	d := x.descriptor(t, op, site, element)
	if d.View == nil && d.Texel == nil {
		return
	}
	keys, k := s.sites[number].Keys, len(x.images)
	if len(keys) > 0 && k >= x.room() {
		s.changed = true
		return
	}
	x.images = append(x.images, boundImage{element: element})
	x.images[k].is(&d)
	if len(keys) == 0 {
		s.changed = true
	} else if _, ok := x.find(k, op, site, keys); ok && x.images[k].group == 0 {
		s.changed = s.changed || len(keys) < s.n.most(op)
	}
	binary.LittleEndian.PutUint32(at, uint32(k))
}

// most is how many keys an operation has at most: derivatives are those of all lanes.
func (n *inliner) most(op *ir.ImageOp) int {
	if sampling.Derives(op) {
		return 1
	}
	return n.keys
}

// room is how many slots there is room for.
func (x *boundSite) room() int { return len(x.params) / (4 * texel.ParamWords) }

// find looks for the key of a slot's image among keys, and makes what its routine reads; it returns
// the key, and false where there is none.
func (x *boundSite) find(k int, op *ir.ImageOp, site *imageSite,
	keys []texel.Key) (key texel.Key, ok bool) {
	im := &x.images[k]
	im.group = 0
	if op.Dim == ir.DimBuffer {
		ok = x.plan.FindBuffer(op, im.texels)
	} else {
		ok = x.plan.Find(op, im.view, im.sampler)
	}
	if !ok || len(x.plan.Memory()) > math.MaxInt32 {
		return key, false
	}
	key = x.plan.Key
	key.Each = site.named(op)
	im.group = slices.Index(keys, key) + 1
	if at := 4 * texel.ParamWords * k; im.group > 0 {
		copy(x.params[at:], x.plan.Params(site.level))
		texel.PutGroup(x.params[at:], im.group)
		x.hold(k, site)
	}
	return key, true
}

// hold finds the memory of a slot's image.
func (x *boundSite) hold(k int, site *imageSite) {
	im := &x.images[k]
	if !site.each[0] {
		k = 0
	}
	x.memory[k].Data = texel.Memory(im.view, im.texels)
}

// keys finds those of what is bound to a site of an operation, at most so many, and what routines
// of them read.
func (x *boundSite) keys(to *texel.Site, op *ir.ImageOp, site *imageSite, most int) {
	if texel.Asks(op) {
		x.params, x.memory = x.params[:0], x.memory[:0]
		for i := range x.images {
			x.params = texel.Answers(x.params, op, x.images[i].view, x.images[i].texels)
		}
		if len(x.images) > 0 {
			to.Keys = append(to.Keys, texel.Key{Kind: texel.Query})
		}
		return
	}
	room := 1
	if site.named(op) {
		for room = 16; room <= len(x.images); room *= 2 {
		}
		room = min(room, texel.Slots(op))
	}
	bytes := 4 * texel.ParamWords * room
	x.params = slices.Grow(x.params[:0], bytes)[:bytes]
	x.memory = slices.Grow(x.memory[:0], room)[:room]
	clear(x.params)
	clear(x.memory)
	first := 0
	if site.named(op) {
		first = 1
	}
	for k := first; k < len(x.images) && len(to.Keys) < most; k++ {
		key, ok := x.find(k, op, site, nil)
		if ok && !slices.Contains(to.Keys, key) {
			to.Keys = append(to.Keys, key)
		}
	}
	if len(to.Keys) > 1 { // in one order, whoever was met first
		slices.SortFunc(to.Keys, func(a, b texel.Key) int {
			return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
		})
	}
	for k := first; k < len(x.images); k++ {
		x.find(k, op, site, to.Keys)
	}
}

// place finds the memory of images and of their parameters for a batch.
func (x *boundSite) place(site *imageSite) {
	for k := range x.images {
		if x.images[k].group > 0 {
			x.hold(k, site)
		}
	}
	x.block[0].Data = x.params
}
