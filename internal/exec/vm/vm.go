// Package vm is the portable engine: a batch virtual machine whose
// instructions loop over the lanes of a batch. It is plain Go, with assembly for
// AVX2 beside the hot loops, runs everywhere and is the bit oracle of the other
// engines.
//
// Compile flattens the structured program into a list of instructions over
// lane registers (one word a lane), scalar registers (uniform values, computed
// once) and mask registers (execution masks). Thread.Run executes it.
package vm

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Options configure the engine.
type Options struct {
	// Lanes is how many lanes run together: 64, 128 or 256 (0 chooses 256, 1,024 for machine code, or
	// 128 where the program has many registers). A batch is cut into pieces of
	// that size, or of as many whole subgroups, except where the program synchronises its workgroup.
	// Results do not depend on it.
	Lanes int
	// Portable keeps to Go where there is assembly with the same results.
	Portable bool
	// Native runs what it can as machine code, with the same results; it changes
	// nothing where the processor or the system does not allow that.
	Native bool
	// Vectors is how many bits the vectors of machine code may have at most; 0: as many as the
	// processor's. 256 stands for what processors without AVX-512 do.
	Vectors int
	// Check panics where machine code would not find a value where it looks for it; for tests.
	Check bool
	// Show gets what becomes machine code as text, a range of a program in each call: the list of its
	// instructions, and their bytes.
	Show               io.Writer
	ShowList, ShowCode bool
	// Map gets a line for each range that was loaded, as of perf's maps (see native.Machine.Mapping).
	Map io.Writer
}

// Engine implements exec.Engine.
type Engine struct {
	lanes    int
	portable bool
	native   bool
	vectors  *native.Machine // of machine code
	kernels  *kernels
	texels   *exec.Texels
}

// New returns an engine. Other lane counts than the documented ones are
// rounded up to a multiple of 4 between 4 and exec.MaxLanes.
func New(opt Options) *Engine {
	bits := native.Vectors()
	if opt.Vectors != 0 {
		bits = min(bits, opt.Vectors)
	}
	machine := native.MachineOf(bits) // nil where this processor has none
	if opt.Check && machine != nil {
		machine = machine.Checked()
	}
	if opt.Show != nil && machine != nil {
		machine = machine.Showing(opt.ShowList, opt.ShowCode, opt.Show)
	}
	if opt.Map != nil && machine != nil {
		machine = machine.Mapping(opt.Map)
	}
	e := &Engine{
		lanes: min((max(opt.Lanes, 0)+3)&^3, exec.MaxLanes), portable: opt.Portable,
		native: opt.Native && !opt.Portable && bits > 0, vectors: machine, kernels: newKernels(opt.Portable),
	}
	e.texels = exec.NewTexels(e.Compile)
	return e
}

// Name returns "native" where programs become machine code, else "vm".
func (e *Engine) Name() string {
	if e.native {
		return "native"
	}
	return "vm"
}

// Texels implements exec.Texeler.
func (e *Engine) Texels() *exec.Texels { return e.texels }

// PermutesTables implements exec.Placer.
func (e *Engine) PermutesTables() bool { return e.native && e.vectors.PermutesBytes() }

// PacksQuads implements exec.Placer.
func (e *Engine) PacksQuads() bool { return e.native && e.vectors.PacksQuads() }

// Compile implements exec.Engine. The program must have passed ir.Verify; its
// Uniform marks come from ir.Optimize and may all be unset. Errors are
// *CompileError.
func (e *Engine) Compile(p *ir.Program) (exec.Routine, error) {
	r, err := e.compile(p)
	if err != nil {
		return nil, err
	}
	if e.native && len(p.ImageOps) > 0 {
		r.inliner = &inliner{engine: e, program: p}
	}
	return r, nil
}

// compile is Compile without what becomes of programs that run often.
func (e *Engine) compile(p *ir.Program) (*routine, error) {
	r, err := compile(p, nil)
	if err != nil {
		return nil, err
	}
	n := e.lanes
	if n == 0 {
		n = manyLanes
		if r.registers > 128 {
			n = 128
		}
		for n > fewestLanes && n*int(p.PrivateBytes) > muchPrivate {
			n /= 2
		}
	}
	if r.places {
		n = native.StripLanes(n)
	}
	if size := int(p.SubgroupSize); size > 0 { // a power of two
		n = (n + size - 1) &^ (size - 1)
	}
	r.lanes, r.portable, r.kernels = n, e.portable, e.kernels
	r.texels = e.texels
	if e.native {
		r.vectors, r.machine = e.vectors, sync.OnceValue(r.translate)
		if alonePossible(p, r.vectors) {
			r.alone = aloneOf(r)
		}
	}
	return r, nil
}

// manyLanes is how many lanes run together by default. Machine code has most registers in the
// processor's: where at most fewRegisters are left in memory, those of more lanes fit the cache.
const (
	manyLanes    = 256
	fewRegisters = 32
)

// Of programs with much private memory fewer lanes run together, so that theirs fits the cache, and
// a batch that needs few lanes touches little.
const (
	fewestLanes = 64
	muchPrivate = 1 << 20
)

// translate compiles the program to machine code; nil where there is nothing to gain,
// or the system refuses memory for it. It takes longer than what Compile does, and many
// programs are made that never run: so the first thread does it.
func (r *routine) translate() *routine {
	m, err := compile(r.program, r.vectors)
	if m != nil {
		r.left = m.left
	}
	if err != nil || m.unit == nil {
		return nil
	}
	r.share(m)
	m.plain = r
	if r.lanes == manyLanes && m.registers <= fewRegisters &&
		exec.MaxLanes*int(r.program.PrivateBytes) <= muchPrivate {
		m.lanes = exec.MaxLanes
	}
	m.inOrder = m.texelsInOrder()
	if m.places && len(m.code) == 1 && m.code[0].kind == native.KindBlock {
		m.lanes, m.bare = exec.MaxLanes, m.unit.Bare()
	}
	if !m.unit.Emit(m.stride(0)) {
		return nil
	}
	return m
}

// texelsInOrder says that one block has all operations on texels, and so does one strip after the
// other.
func (r *routine) texelsInOrder() bool {
	blocks := 0
	for i := range r.unit.Blocks() {
		if slices.ContainsFunc(r.unit.Code(i), func(in native.Inst) bool { return in.Kind == native.KindLoadTexel || in.Kind == native.KindStoreTexel }) {
			blocks++
		}
	}
	return blocks <= 1 && !slices.ContainsFunc(r.code,
		func(in instr) bool { return in.kind == native.KindLoadTexel || in.kind == native.KindStoreTexel })
}

// share gives another compilation of the program what the engine gave r.
func (r *routine) share(to *routine) {
	to.lanes, to.portable, to.kernels = r.lanes, r.portable, r.kernels
	to.texels, to.inliner, to.vectors = r.texels, r.inliner, r.vectors
	to.alone = r.alone
}

// CompileError says why a program cannot run on this engine.
type CompileError struct {
	Program string
	What    string
	Value   ir.Value // the instruction, or ir.NoValue
}

func (e *CompileError) Error() string {
	return fmt.Sprintf("vm: program %q: %s (instruction %d); the lowering or a pass must not produce it", e.Program, e.What, e.Value)
}

// MaxPrivateBytes bounds Program.PrivateBytes, so that a thread's memory stays
// below 64 MiB.
const MaxPrivateBytes = 1 << 16

// routine is a compiled program.
type routine struct {
	program  *ir.Program
	lanes    int
	portable bool
	vectors  *native.Machine // of machine code
	kernels  *kernels
	texels   *exec.Texels
	inliner  *inliner // nil where image instructions stay as they are
	code     []instr
	aux      []auxiliary
	sources  []ir.Source // of loops, for native.KindFuel
	clears   [][]int32   // mask registers that a break or continue clears

	consts           []uint32 // initial values of the first scalar registers
	uniformVars      [2]int32 // scalar registers to zero: from, to
	scalars          int
	registers, masks int // lane registers besides the inputs; mask registers
	demotes          bool
	wholeBatch       bool
	// places: it has operations on places. inOrder: texels of one place are done with before those of
	// the next one; and bare: it needs no more than its places.
	places, inOrder, bare bool
	placed                placeUse

	// unit is the machine code of ranges of the code, nil for none. plain is the same program
	// without it, for batches that it does not take; machine is the one with
	// it, where this one has none.
	unit    *native.Translation
	plain   *routine
	machine func() *routine
	left    []exec.Interpreted // what machine has left, once it is made
	// alone makes the routine of single lanes, single: nil where there is none.
	alone  func() *routine
	single bool
}

// Program implements exec.Routine.
func (r *routine) Program() *ir.Program { return r.program }

// NewThread implements exec.Routine.
func (r *routine) NewThread(maxLanes int) exec.Thread {
	return r.NewThreadIn(new(exec.Scratch), maxLanes)
}

// NewThreadIn implements exec.Sharer.
func (r *routine) NewThreadIn(s *exec.Scratch, maxLanes int) exec.Thread {
	if r.machine != nil {
		if m := r.machine(); m != nil {
			return m.newThread(s, maxLanes)
		}
	}
	return r.newThread(s, maxLanes)
}

func (r *routine) newThread(s *exec.Scratch, maxLanes int) exec.Thread {
	maxLanes = min(max((maxLanes+3)&^3, 4), exec.MaxLanes)
	if r.places {
		maxLanes = native.StripLanes(maxLanes)
	}
	n := maxLanes
	if !r.wholeBatch {
		n = min(n, r.lanes)
	} else if most := r.wholeLanes(); r.unit != nil {
		n = min(n, most)
	}
	t := &thread{lanes: n, scratch: s}
	t.r = r
	inputs := len(r.program.Inputs)
	t.v = make([][]uint32, inputs+r.registers)
	t.backing = make([][]uint32, inputs+r.registers)
	t.stride = r.stride(n)
	t.m = make([]mask, r.masks)
	constant := make([]uint32, 2*t.stride)
	t.ones, t.zeros = constant[:n:n], constant[t.stride:][:n:n]
	for i := range t.ones {
		t.ones[i] = ^uint32(0)
	}
	t.s = make([]uint32, r.scalars)
	copy(t.s, r.consts)
	if r.unit != nil {
		t.native = r.unit.NewThread(t.s)
	}
	t.images.init(r, n)
	if r.inliner != nil {
		t.inline = &inlineState{n: r.inliner, maxLanes: maxLanes}
	}
	return t
}

// wholeLanes is how many lanes a batch has at most that must not be cut.
func (r *routine) wholeLanes() int {
	n := exec.MaxLanes
	if size := r.program.LocalSize; r.program.Stage.Workgroups() && size[0]*size[1]*size[2] > 0 {
		n = min(n, int(size[0]*size[1]*size[2]))
	}
	return (n + 3) &^ 3
}

// findRoom makes the thread's rows and its private memory be in its scratch.
func (t *thread) findRoom() error {
	rows := len(t.backing) - len(t.r.program.Inputs) + len(t.m) + 3
	if t.r.places {
		rows += len(t.spare)
	}
	private := int(t.r.program.PrivateBytes / 4)
	words, err := t.scratch.Words((rows + private) * t.stride)
	if err != nil {
		return err
	}
	if len(t.room) > 0 && &t.room[0] == &words[0] {
		return nil
	}
	t.room, t.n = words[:(rows+private)*t.stride:(rows+private)*t.stride], 0 // begin cuts rows anew
	take := func() []uint32 {
		w := words[:t.lanes:t.lanes]
		words = words[t.stride:]
		return w
	}
	for i := len(t.r.program.Inputs); i < len(t.backing); i++ {
		t.backing[i] = take()
	}
	for i := range t.m {
		t.m[i].backing = take()
	}
	t.live.backing, t.tmp, t.offsets = take(), take(), take()
	if t.r.places {
		for i := range t.spare {
			t.spare[i] = take()
		}
	}
	if t.r.single {
		t.private = words[:private:private]
	} else {
		t.private = words[: private*t.stride : private*t.stride]
	}
	if t.native != nil {
		t.native.Place(t.room, t.private)
	}
	return nil
}

// stride is how many words lane registers of n lanes are apart: for machine code the same in all
// threads.
func (r *routine) stride(n int) int {
	if r.unit == nil {
		return n
	}
	n = r.lanes
	if r.wholeBatch {
		n = r.wholeLanes()
	}
	return r.unit.Stride(n)
}
