package core

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
)

func TestDump_WhatIsAskedFor(t *testing.T) {
	var out strings.Builder
	d := newDump("ir, spirv", &out)
	d.module([]byte{3, 2, 0x23, 7, 0, 0, 1, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 17, 0, 2, 0, 1, 0, 0, 0})
	p := &ir.Program{Stage: ir.StageCompute, LocalSize: [3]uint32{1, 1, 1}}
	b := ir.NewBuilder(p)
	b.Op(ir.OpIAdd, ir.I32, b.I32(1), b.I32(2))
	b.Finish()
	d.optimize("main", ir.StageCompute, p)
	for _, want := range []string{"; a module of 7 words\nOpCapability Shader\n", "; entry point main", "; after promote: the same\n", "; after sweep\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}
	if len(p.Insts) != 0 {
		t.Errorf("the passes did not run: %d instructions are left", len(p.Insts))
	}

	if d = newDump("mir,code,perf", &out); !d.mir || !d.code || !d.perf || d.prints() {
		t.Errorf("machine code is printed in no order: %+v", d)
	}

	out.Reset()
	d = newDump("", &out)
	d.module(make([]byte, 28))
	d.optimize("main", ir.StageCompute, p)
	if out.Len() > 0 {
		t.Errorf("unasked: %q", out.String())
	}
	if newDump("asm", &out); !strings.Contains(out.String(), `"asm" is neither`) {
		t.Errorf("a wrong setting is not told: %q", out.String())
	}
}
