package texel

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
)

// Unit runs image instructions for one goroutine: as routines of an engine, with accesses of the
// sites that it meets, and otherwise on the reference. Sites makes it ready.
type Unit struct {
	// Engine runs routines; nil: all runs on the reference. Set before Sites.
	Engine   Engine
	routines routines
	accesses []*access // the last of each site
	known    accesses
	eachMask []uint32           // of RunEach
	cache    *format.BlockCache // of the reference; made when it is first needed
	todo     []uint32           // lanes of other levels than the present one
	of       []uint32           // lanes of one level
}

// Sites makes room for instructions 0…n-1 of a routine, whose batches have at
// most lanes lanes, so that Run allocates nothing until a site meets a second view.
func (u *Unit) Sites(n, lanes int) {
	u.accesses = make([]*access, n)
	u.known = accesses{found: make(map[accessOf]*access, n), ring: make([]accessOf, 0, n)}
	for i := range u.accesses {
		const most = resource.MaxLevels + 1
		u.accesses[i] = &access{levels: make([]viewLevel, 0, most), params: make([]params, 0, most)}
	}
	if u.Engine != nil {
		u.routines.init(lanes)
		u.todo, u.of = make([]uint32, lanes), make([]uint32, lanes)
	}
}

// Run is ref.Run for the instruction at a site: the same bits. It keeps the
// site's access for the next call, which likely has the same view and sampler.
//
// IMG-002, IMG-010
func (u *Unit) Run(site int, a *ref.Args, v *resource.ImageView, s *resource.Sampler, n int) {
	v = v.As(a.Op.Result != ir.ClassFloat, false)
	p := u.access(site, a.Op, v, s)
	switch {
	case p.thread == nil || !p.bound():
	case u.routines.run(p, a, n, nil, nil):
		u.runLeft(p, a, n)
		return
	case !p.sampled && a.Lod != nil && n <= len(u.todo) && u.runLevels(p, a, n):
		return
	}
	u.reference(a, v, s, n)
}

// bound says that there is memory for all of the image.
func (p *access) bound() bool { return int64(len(p.v.Image.Data)) >= p.v.Image.Layout.Size }

func (u *Unit) reference(a *ref.Args, v *resource.ImageView, s *resource.Sampler, n int) {
	a.Blocks = u.cache
	ref.Run(a, v, s, n)
	u.cache = a.Blocks
}

// runLeft runs the lanes that a routine has left on the reference.
func (u *Unit) runLeft(p *access, a *ref.Args, n int) {
	if len(u.routines.left) == 0 {
		return
	}
	m := a.Mask
	a.Mask = u.routines.mask[:n]
	for _, lane := range u.routines.left {
		a.Mask[lane] = ^uint32(0)
	}
	a.Blocks = u.cache
	ref.Run(a, p.v, p.s, n)
	u.cache = a.Blocks
	clear(a.Mask)
	a.Mask = m
}

// runLevels runs lanes that name levels of their own, one level after the other; false where the
// engine failed.
func (u *Unit) runLevels(p *access, a *ref.Args, n int) bool {
	mask, todo, of := a.Mask, u.todo[:n], u.of[:n]
	for lane := range todo {
		todo[lane] = ^uint32(0)
	}
	copy(todo, mask)
	a.Mask = of
	ok := true
	for first := range todo {
		if todo[first] == 0 {
			continue
		}
		for lane, l := range a.Lod[:n] {
			if of[lane] = 0; todo[lane] != 0 && l == a.Lod[first] {
				of[lane], todo[lane] = todo[lane], 0
			}
		}
		if ok = u.routines.run(p, a, n, nil, nil); !ok {
			break
		}
	}
	a.Mask = mask
	return ok
}
