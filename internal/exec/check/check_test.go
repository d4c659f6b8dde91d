package check_test

import (
	"errors"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/check"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// wrong is an engine that spoils a word of what another one gives.
type wrong struct {
	exec.Engine
	spoil func(b *exec.Batch)
}

func (w wrong) Compile(p *ir.Program) (exec.Routine, error) {
	r, err := w.Engine.Compile(p)
	return wrongRoutine{r, w.spoil}, err
}

type wrongRoutine struct {
	exec.Routine
	spoil func(b *exec.Batch)
}

func (r wrongRoutine) NewThread(n int) exec.Thread {
	return wrongThread{r.Routine.NewThread(n), r.spoil}
}

type wrongThread struct {
	exec.Thread
	spoil func(b *exec.Batch)
}

func (t wrongThread) Run(c *exec.Context, b *exec.Batch) error {
	err := t.Thread.Run(c, b)
	t.spoil(b)
	return err
}

// A difference in anything that a batch gives is an error that says where; equal results
// are the first engine's.
func TestEngine_FindsDifferences(t *testing.T) {
	p := &ir.Program{Name: "doubled", Stage: ir.StageFragment, Inputs: []ir.IO{{Type: ir.I32, Interp: ir.Flat}}, Outputs: []ir.IO{{Type: ir.I32}}}
	b := ir.NewBuilder(p)
	in := b.OpImm(ir.OpInput, ir.I32, 0)
	b.OpImm(ir.OpOutput, ir.Void, 0, b.Op(ir.OpIAdd, ir.I32, in, in))
	b.Finish()
	for name, spoil := range map[string]func(b *exec.Batch){
		"nothing": func(*exec.Batch) {},
		"output":  func(b *exec.Batch) { b.Out[0][2]++ },
		"live":    func(b *exec.Batch) { b.Live[1] = 0 },
		"emitted": func(b *exec.Batch) { b.Emitted[0] = 7 },
		"shared":  func(b *exec.Batch) { b.Shared[3] = 7 },
	} {
		e := check.New(vm.New(vm.Options{Native: true}), wrong{vm.New(vm.Options{}), spoil})
		r, err := e.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		batch := exec.Batch{N: 4, In: [][]uint32{{1, 2, 3, 4}}, Out: [][]uint32{make([]uint32, 4)}, Live: []uint32{^uint32(0), ^uint32(0), ^uint32(0), 0}, Emitted: make([]uint32, 2), Shared: make([]byte, 4)}
		err = r.NewThread(4).Run(&exec.Context{}, &batch)
		var mismatch *check.MismatchError
		if errors.As(err, &mismatch) != (name != "nothing") || name == "nothing" && err != nil {
			t.Errorf("%s spoilt: %v", name, err)
		}
		if batch.Out[0][3] != 8 {
			t.Errorf("%s spoilt: the last output is %d", name, batch.Out[0][3])
		}
		if checked, skipped := e.Counts(); checked != 1 || skipped != 0 {
			t.Errorf("%s spoilt: %d batches checked, %d skipped", name, checked, skipped)
		}
	}
}

// A program that stores texels runs twice, on the same ones; differences in them, and in what
// places have covered, are found.
func TestEngine_StoresTexelsOnce(t *testing.T) {
	p := &ir.Program{Name: "counted", Stage: ir.StageFragment}
	b := ir.NewBuilder(p)
	x := ir.Texel{Bytes: 1}
	covered := b.OpImm(ir.OpCovered, ir.Bool, 0)
	v := b.Op(ir.OpIAdd, ir.I32, b.OpImm(ir.OpLoadTexel, ir.I32, x.Imm()), b.I32(1))
	b.OpMore(ir.OpStoreTexel, ir.Void, x.Imm(), []ir.Value{covered, v})
	b.OpImm(ir.OpCover, ir.Void, 0, b.Op(ir.OpNot, ir.Bool, covered))
	b.Finish()
	for name, spoil := range map[string]func(b *exec.Batch){
		"nothing": func(*exec.Batch) {},
		"texel":   func(b *exec.Batch) { b.Surfaces[0].Data[3]++ },
		"place":   func(b *exec.Batch) { b.Places[0].Covered[0] ^= 1 },
	} {
		e := check.New(vm.New(vm.Options{Native: true}), wrong{vm.New(vm.Options{}), spoil})
		r, err := e.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		place := exec.Place{Covered: [ir.PlaceSamples]uint16{0xFFF3}}
		data := make([]byte, 16)
		err = r.NewThread(32).Run(&exec.Context{}, &exec.Batch{N: 32, Places: []exec.Place{place, place}, Surfaces: []exec.Surface{{Data: data, RowPitch: 8}}})
		var mismatch *check.MismatchError
		if errors.As(err, &mismatch) != (name != "nothing") || name == "nothing" && err != nil {
			t.Errorf("%s spoilt: %v", name, err)
		}
		if data[0] != 2 || data[8] != 0 {
			t.Errorf("%s spoilt: pixels are %v", name, data)
		}
	}
}
