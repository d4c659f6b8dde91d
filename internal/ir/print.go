package ir

// Print is a message of a shader (NonSemantic.DebugPrintf), told by OpPrint.
type Print struct {
	Format string
	Args   []PrintArg
	Source Source
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
