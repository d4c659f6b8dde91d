package texel

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// Inlined is what a program needs that has an image operation inlined (Inline), for
// one view and sampler. It makes no allocation once it is there.
type Inlined struct {
	Key    Key
	access access
}

// Find makes x that of a view and sampler; false where the operation is not inlined for
// them.
func (x *Inlined) Find(op *ir.ImageOp, v *resource.ImageView, s *resource.Sampler) bool {
	p := &x.access
	if v == nil {
		return false
	}
	p.make(op, v.As(op.Result != ir.ClassFloat, false), s)
	if !p.ok || !p.bound() || !p.key.Inlines(op) {
		return false
	}
	x.Key = p.key
	return true
}

// FindBuffer is Find for an operation on a texel buffer.
func (x *Inlined) FindBuffer(op *ir.ImageOp, b *resource.BufferView) bool {
	if b == nil || b.Info == nil {
		return false
	}
	x.access.makeBuffer(op, b)
	x.Key = x.access.key
	return x.access.ok
}

// Memory is what routines read of a view's image, or of a texel buffer.
func Memory(v *resource.ImageView, b *resource.BufferView) []byte {
	if v != nil {
		return v.Image.Data[:v.Image.Layout.Size]
	}
	data, _ := wholeWords(b.Data)
	return data
}

// Memory is the image's, and Params the parameters of a level that all lanes read, which
// operations without a sampler count.
func (x *Inlined) Memory() []byte { return x.access.memory() }

// Params: see Memory.
func (x *Inlined) Params(level uint32) []byte {
	return x.access.paramsOf(level)[:]
}
