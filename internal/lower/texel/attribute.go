package texel

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Attribute makes the program that converts attributes of vertices: of the words of a texel, of
// which the format's bytes are the first, it makes four components, those that the format lacks 0,
// 0, 0, 1. It is nil where no program does.
//
// fxvertex-input-extraction
func Attribute(info *format.Info) (*ir.Program, error) {
	if !decodes(info) || info.BlockBytes > 16 {
		return nil, nil
	}
	p := &ir.Program{Stage: ir.StageVertex, Name: "attribute " + info.Format.String()}
	e := &decoder{&inputs{builder: builder{ir.NewBuilder(p), new(tables)}, info: info}}
	var words [4]ir.Value
	for i := range (info.BlockBytes + 3) / 4 {
		p.Inputs = append(p.Inputs, ir.IO{Location: uint32(i), Type: ir.I32})
		words[i] = e.b.OpImm(ir.OpInput, ir.I32, uint64(i))
	}
	for i, v := range e.decode(words) {
		if e.b.P.Insts[v].Type != ir.I32 {
			v = e.bits(v)
		}
		p.Outputs = append(p.Outputs, ir.IO{Location: uint32(i), Type: ir.I32})
		e.b.OpImm(ir.OpOutput, ir.Void, uint64(i), v)
	}
	return e.finish()
}
