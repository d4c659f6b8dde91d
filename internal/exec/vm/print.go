package vm

import "github.com/pumice-gpu/pumice/internal/exec"

// print tells the message of each live lane of the mask, in lane order.
func (t *thread) print(in *instr) {
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

// trace tells the words of an instruction that was run.
func (t *thread) trace(in *instr) {
	if t.ctx.Trace == nil {
		return
	}
	args := t.r.aux[in.c].args
	told := &exec.Told{Program: t.r.program, Context: t.ctx, Index: int(in.imm), Base: t.base, Mask: t.maskWords(in.m), Words: make([][]uint32, len(args))}
	for k, a := range args {
		told.Words[k] = t.v[a]
	}
	t.ctx.Trace(told)
}
