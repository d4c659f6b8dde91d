package render

import (
	"github.com/pumice-gpu/pumice/internal/ir"

	"github.com/pumice-gpu/pumice/internal/render/geometry"
)

// linkMesh finds the outputs of a mesh shader.
func (l *linkage) linkMesh(d *PipelineDesc) error {
	p := d.Mesh.Program()
	l.unwritten = p.Unwritten
	l.last, l.primitives = l.Mesh.Sort(p)
	workgroup := []ir.Builtin{ir.BuiltinGlobalInvocationID, ir.BuiltinLocalInvocationID, ir.BuiltinLocalInvocationIndex,
		ir.BuiltinWorkgroupID, ir.BuiltinNumWorkgroups, ir.BuiltinDrawIndex, ir.BuiltinViewIndex}
	if d.Task != nil {
		if err := inputsOf(d.Task.Program(), workgroup...); err != nil {
			return err
		}
	}
	return inputsOf(p, workgroup...)
}

// primitiveOut finds the built-in outputs of a mesh's primitives.
func (l *linkage) primitiveOut() {
	l.ofPrimitive = primitiveOutputs{none, none, none, none}
	for slot, io := range l.primitives {
		switch io.Builtin {
		case ir.BuiltinPrimitiveID:
			l.ofPrimitive.id = slot
		case ir.BuiltinLayer:
			l.ofPrimitive.layer = slot
		case ir.BuiltinViewportIndex:
			l.ofPrimitive.viewport = slot
		case ir.BuiltinPrimitiveShadingRate:
			l.ofPrimitive.rate = slot
		}
	}
}

// primitiveOutputs says which slots of linkage.primitives hold what.
type primitiveOutputs struct{ id, layer, viewport, rate int }

// take returns what primitive i of a block has of them; 0 of what is not written.
func (o *primitiveOutputs) take(b *geometry.Stretch, i int) (id, layer, viewport, rate uint32) {
	get := func(slot int) uint32 {
		if slot == none {
			return 0
		}
		return b.OfPrimitive[slot][i]
	}
	return get(o.id), get(o.layer), get(o.viewport), get(o.rate)
}
