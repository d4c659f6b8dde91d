package vm

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// print tells the message of each live lane of the mask, in lane order.
func (t *thread) print(in *instr) {
	if p := &t.r.program.Prints[in.imm]; p.Outside != nil {
		t.outside(in, p)
		return
	}
	if t.ctx.Print == nil {
		return
	}
	args := t.r.aux[in.c].args
	words := make([]uint32, len(args))
	for i, on := range t.storeMask(in.m) {
		if on == 0 {
			continue
		}
		for k, a := range args {
			words[k] = t.v[a][i]
		}
		t.ctx.Print(t.r.program.Name, exec.FormatPrint(&t.r.program.Prints[in.imm], words))
	}
}

// outside tells the first access of the live lanes of the mask.
func (t *thread) outside(in *instr, p *ir.Print) {
	if t.ctx.Outside == nil {
		return
	}
	args := t.r.aux[in.c].args
	first := -1
	for i, on := range t.storeMask(in.m) {
		if on != 0 && (first < 0 || t.v[args[1]][i] < t.v[args[1]][first]) {
			first = i
		}
	}
	if first >= 0 {
		t.ctx.Outside(p, t.v[args[0]][first], t.v[args[1]][first], t.v[args[2]][first])
	}
}

// trace tells the words of an instruction that was run.
func (t *thread) trace(in *instr) {
	if t.ctx.Trace == nil {
		return
	}
	args := t.r.aux[in.c].args
	told := &exec.Told{Program: t.r.program, Context: t.ctx, Index: int(in.imm), Base: t.base,
		Mask: t.maskWords(in.m), Words: make([][]uint32, len(args))}
	for k, a := range args {
		told.Words[k] = t.v[a]
	}
	if t.live.state != maskFull {
		told.Live = t.storeMask(in.m)
	}
	t.ctx.Trace(told)
}
