package ir

import "slices"

// Print is a message of a shader (NonSemantic.DebugPrintf), told by OpPrint.
type Print struct {
	Format string
	Args   []PrintArg
	Source Source
	// Outside, if not nil, says that it is none of the shader's messages, but that an access lies outside of its
	// descriptor: exec.Context.Outside is told.
	Outside *Outside
}

// Outside is an access to a buffer that a program has found to be outside of its descriptor. The words of its OpPrint are
// the descriptor's element, where the access begins, and how much the descriptor shows: bytes, or texels of texel buffers.
type Outside struct {
	Resource int
	Size     uint32 // of the access, in the same unit
	Writes   bool
}

// Messages says whether a program has messages of its shader.
func (p *Program) Messages() bool {
	return slices.ContainsFunc(p.Prints, func(m Print) bool { return m.Outside == nil })
}

// Watched says whether a program looks for accesses outside of descriptors.
func (p *Program) Watched() bool {
	return slices.ContainsFunc(p.Prints, func(m Print) bool { return m.Outside != nil })
}

// PrintKind is the type of the numbers of a PrintArg.
type PrintKind uint8

// Kinds of numbers.
const (
	PrintUint PrintKind = iota
	PrintInt
	PrintFloat // of 16 bits too, which are binary32 here
)

// PrintArg is an argument: Count numbers, of 64 bits where Wide.
type PrintArg struct {
	Kind  PrintKind
	Wide  bool
	Count uint8
}

// Words is how many operands of OpPrint an argument takes.
func (a PrintArg) Words() int {
	if a.Wide {
		return 2 * int(a.Count)
	}
	return int(a.Count)
}

func (v *verifier) print(at Value, in *Inst) {
	n := 0
	for _, a := range v.p.Prints[in.Imm].Args {
		n += a.Words()
	}
	if len(in.More) != n || in.Type != Void {
		v.fail(at, "a message with %d words, which takes %d", len(in.More), n)
		return
	}
	for _, a := range in.More {
		v.operand(at, a, Void)
	}
}
