package ir

import (
	"fmt"
	"slices"
)

// Trace is an instruction of a shader as OpTrace tells it, for people.
type Trace struct {
	Text   string // as spirv-dis writes it
	Name   string // of the result, or of what a store writes; "" where none is known
	Source Source
	Column uint32
	Depth  int // of calls: 0 in the entry point's function
	// Note is what is known of a value that is no number: "albedo (set 0, binding 1)".
	Note string
	// Of is what a load reads from outside of the shader: "set 0, binding 0, byte 64". Variable numbers
	// the variable of the shader that a load or a store is of, from 1; 0: it is of none.
	Of       string
	Variable int
	// Type is that of the words; nil: there are none.
	Type *TraceType
	// Store says where the instruction writes memory that other invocations see; nil: it does not. Its
	// words follow those of the type.
	Store *TraceStore
	// Reads says where a load of a mesh shader reads workgroup memory, which may be what a task
	// shader left there; nil: it reads none. Its words follow those of Store.
	Reads *TraceStore
	// Assigns names the variable of the source that has a new value from here on: the words of Whole,
	// or where that is nil the value. "": none has.
	Assigns string
	// Whole is the type of the variable where only a part was written. Its words come last.
	Whole *TraceType
	// Image is 1 + the index in ImageOps of an image instruction. Its words are the
	// operands in the order of ImageOp, then the results. 0: the words are a value.
	Image int
}

// TraceStore is where a store or an atomic operation writes. Its words are, of MemBuffer, the
// element of Resource and the byte; of MemShared the byte; of MemAddress and MemPointer the low and
// the high word. Those of an atomic operation's operands follow: the value, and of
// AtomicCompareExchange the comparator.
type TraceStore struct {
	Space    MemSpace
	Resource int
	Parts    []TracePart
	// Atomic is the operation whose value is what the memory held before; of AtomicStore, which plain
	// stores are too, the value is what is written.
	Atomic AtomicOp
}

// TracePart is a scalar in memory: its bytes from that of the words on, and how many.
type TracePart struct{ Offset, Bytes uint32 }

// Words is how many words a store has besides its value.
func (s *TraceStore) Words() int {
	if s == nil {
		return 0
	}
	n := 2
	if s.Space == MemShared {
		n = 1
	}
	if s.Atomic != AtomicStore {
		n += s.Atomic.Values() * int((s.Parts[0].Bytes+3)/4)
	}
	return n
}

// TraceKind is the kind of a value's part.
type TraceKind uint8

// Kinds of parts.
const (
	TraceUint  TraceKind = iota
	TraceInt             // of fewer than 32 bits in the low ones
	TraceFloat           // of 16 bits, too, which are binary32 here
	TraceBool            // a mask
	TraceBits            // of other encodings of floats: as they are
	TraceParts           // Parts
	TraceMore            // what is left out, no word
)

// TraceType is the type of a value. Numbers of 64 bits are two words, the low one first, all others one.
type TraceType struct {
	Kind  TraceKind
	Width uint8 // of a number, in bits
	Parts []*TraceType
}

// Words is how many words a value has.
func (t *TraceType) Words() int {
	n := 0
	switch {
	case t == nil || t.Kind == TraceMore:
	case t.Kind == TraceParts:
		for _, p := range t.Parts {
			n += p.Words()
		}
	case t.Width == 64:
		n = 2
	default:
		n = 1
	}
	return n
}

// File is a source file of debug information.
type File struct{ Name, Text string }

// trace checks an OpTrace.
func (v *verifier) trace(at Value, in *Inst) {
	x := &v.p.Traces[in.Imm]
	if s := x.Store; s != nil &&
		(s.Resource < 0 || s.Resource >= max(len(v.p.Resources), 1) || len(s.Parts) == 0 ||
			s.Space == MemPush) {
		v.fail(at, "tells a store to nowhere")
		return
	}
	n := x.Type.Words() + x.Store.Words() + x.Reads.Words() + x.Whole.Words()
	if x.Image > 0 {
		if x.Image > len(v.p.ImageOps) {
			v.fail(at, "tells image operation %d of %d", x.Image-1, len(v.p.ImageOps))
			return
		}
		n = len(in.More) // that of the instruction
	}
	if len(in.More) != n || in.Type != Void {
		v.fail(at, "tells %d words of %d", len(in.More), n)
		return
	}
	for _, a := range in.More {
		v.operand(at, a, Void)
	}
}

// Align says why a traced program can't take the place of the plain one in a batch: both
// must have the same interface, in the same order. It is what lowering gives; this is the check.
func Align(traced, plain *Program) error {
	differ := func(what string) error {
		return fmt.Errorf("ir: the traced program %q has other %s than the plain one", plain.Name,
			what)
	}
	switch {
	case traced.Stage != plain.Stage || traced.LocalSize != plain.LocalSize || traced.Quads != plain.Quads || traced.SubgroupSize != plain.SubgroupSize:
		return differ("lanes")
	case !slices.Equal(traced.Inputs, plain.Inputs) || !slices.Equal(traced.VertexInputs, plain.VertexInputs):
		return differ("inputs")
	case !slices.Equal(traced.Outputs, plain.Outputs) || !slices.Equal(traced.Emits, plain.Emits) || !slices.Equal(traced.Records, plain.Records) || !slices.Equal(traced.Unwritten, plain.Unwritten):
		return differ("outputs")
	case !slices.Equal(traced.Resources, plain.Resources) || traced.PushBytes != plain.PushBytes || traced.SharedBytes != plain.SharedBytes:
		return differ("resources")
	case !slices.Equal(traced.ImageOps, plain.ImageOps):
		return differ("image instructions")
	case traced.EarlyFragmentTests != plain.EarlyFragmentTests || traced.PostDepthCoverage != plain.PostDepthCoverage || traced.OverrideCoverage != plain.OverrideCoverage ||
		traced.Demotes != plain.Demotes || traced.Interlocked != plain.Interlocked || traced.WritesMemory != plain.WritesMemory || traced.UsesDerivatives != plain.UsesDerivatives ||
		traced.SampleRate != plain.SampleRate || traced.TileImages != plain.TileImages || traced.SampleMask != plain.SampleMask || traced.DepthGreater != plain.DepthGreater || traced.DepthLess != plain.DepthLess || traced.DepthUnchanged != plain.DepthUnchanged ||
		traced.UsesBarrier != plain.UsesBarrier || traced.UsesAddresses != plain.UsesAddresses || traced.Captures != plain.Captures || traced.Shape != plain.Shape:
		return differ("facts")
	}
	return nil
}

// HasQuads says that lanes 4q to 4q+3 are a quad.
func (p *Program) HasQuads() bool { return p.Stage == StageFragment || p.Quads != NoQuads }

// String names a resource for people: "albedo (set 0, binding 1)".
func (r Resource) String() string {
	switch {
	case r.Heap:
		return r.Place()
	case r.Name == "":
		return "descriptor (" + r.Place() + ")"
	}
	return r.Name + " (" + r.Place() + ")"
}

// Place is where it is bound: "set 0, binding 1".
func (r Resource) Place() string {
	switch {
	case r.Kind == TileImage:
		return fmt.Sprintf("attachment %d", r.Binding)
	case r.Heap:
		return "descriptors of a heap"
	}
	return fmt.Sprintf("set %d, binding %d", r.Set, r.Binding)
}
