// Package wire checks what a host in another process sends: the arguments of a command, or a record, with all that their
// pointers lead to. It lies in memory that the host can change at any time, so callers copy it first; in the copy, each
// pointer is checked and made to lead to the copy.
//
// The tables (driver/_gen) say where pointers are and how much they lead to. The host's side lays out what pointers lead to
// in the order in which it comes to them, and so does Walk: each thing lies behind the last one. Two pointers never lead to
// the same bytes, so that nothing that was checked changes with something else.
package wire

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
)

// Type is a struct, or the arguments of a command.
type Type struct {
	Size, First uint32 // bytes; in fields
	Count       uint16 // of fields
	SType       int32  // -1: not for chains
}

// Field is a member that leads somewhere, or a handle.
type Field struct {
	Value               int32 // of If
	Offset, Arg         uint16
	At, Via, If, Stride uint16 // offsets of members: of the length, of the condition, of the distance of elements
	Count               uint16
	Kind, Out, Length   uint8
	Divide, Condition   uint8
}

// The kinds of fields; driver/_gen says what they are.
const (
	Bytes uint8 = iota
	Struct
	Text
	Texts
	Inline
	Chain
	Drop
	File
	Handle
	Handles
	Data
	Texels
	Wait
)

const (
	lengthOne uint8 = iota
	length4
	length8
	lengthTo4
	lengthTo8
	lengthVia4
)

const (
	always uint8 = iota
	onlyIfIs
	onlyIfImage
	onlyIfBuffer
	onlyIfTexel
)

// An Error says what is wrong with a message.
type Error struct{ What string }

func (e *Error) Error() string { return "wire: " + e.What }

// Section is memory of the host and its copy.
type Section struct {
	From uintptr // where the host has it
	Copy []byte  // aligned to 8 bytes
}

// A Walk checks copies. The zero value has no spans.
type Walk struct {
	spans []Section
	span  int
	at    uintptr // in the span: where the next thing may begin
	moved []moved
	depth int
	// handle says whether a dispatchable handle is one.
	handle func(uintptr) bool
	data   unsafe.Pointer // what a field of kind Data leads to
	left   uintptr        // bytes from there to the end of its span
	texels []uint64       // bytes that fields of kind Texels lead to
	files  []*int32       // fields of kind File that name a descriptor
}

// moved is a pointer that Walk has changed, and what it was.
type moved struct {
	at  *uintptr
	was uintptr
}

// Begin readies w for the spans of one message, or of one command buffer. handle says whether something is a dispatchable
// handle: others become VK_NULL_HANDLE.
func (w *Walk) Begin(handle func(uintptr) bool, spans ...Section) {
	w.spans = append(w.spans[:0], spans...)
	w.span, w.at, w.moved, w.handle, w.depth = 0, 0, w.moved[:0], handle, 0
	w.data, w.left, w.texels, w.files = nil, 0, w.texels[:0], w.files[:0]
}

// Texels is how many bytes of texels there are behind each pointer to some, in their order.
func (w *Walk) Texels() []uint64 { return w.texels }

// Files are the descriptors that the message names, which are the host's own numbers: they have
// become -1.
func (w *Walk) Files() []*int32 { return w.files }

// Restore puts back the pointers that were there, so that a copy can be handed to the host.
func (w *Walk) Restore() {
	for _, m := range w.moved {
		*m.at = m.was
	}
}

// Template is where the data of a descriptor update template begins, and how many bytes there are at most.
func (w *Walk) Template() (unsafe.Pointer, uintptr) { return w.data, w.left }

// Size is the size of a command's arguments, or record, in bytes; 0 for what is none.
func Size(op abi.Op) uintptr {
	if op == 0 || int(op) >= len(ofOps) {
		return 0
	}
	return uintptr(types[ofOps[op]].Size)
}

// Arguments takes the arguments of a command, which begin the message.
func (w *Walk) Arguments(op abi.Op) (unsafe.Pointer, error) {
	size := Size(op)
	if size == 0 || len(w.spans) == 0 || uintptr(len(w.spans[0].Copy)) < size {
		return nil, &Error{fmt.Sprintf("no arguments of %v", op)}
	}
	w.at = align(size)
	p := unsafe.Pointer(unsafe.SliceData(w.spans[0].Copy))
	return p, w.fields(&types[ofOps[op]], p, true)
}

// Record checks a record of size bytes at p, in memory of the caller's.
func (w *Walk) Record(op abi.Op, p unsafe.Pointer, size uintptr) error {
	if n := Size(op); n == 0 || n > size {
		return &Error{fmt.Sprintf("a record of %d bytes for %v", size, op)}
	}
	w.moved = w.moved[:0] // nobody puts them back
	return w.fields(&types[ofOps[op]], p, true)
}

func align(n uintptr) uintptr { return (n + 7) &^ 7 }

// take returns the copy of size bytes at p of the host's memory.
func (w *Walk) take(p, size uintptr) (unsafe.Pointer, error) {
	for ; w.span < len(w.spans); w.span, w.at = w.span+1, 0 {
		s := &w.spans[w.span]
		if off := p - s.From; p >= s.From && off < uintptr(len(s.Copy)) || p == s.From+uintptr(len(s.Copy)) && size == 0 {
			if off < w.at || off%8 != 0 || size > uintptr(len(s.Copy))-off {
				break
			}
			w.at = align(off + size)
			return unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.Copy)), off), nil
		}
	}
	return nil, &Error{fmt.Sprintf("%d bytes at %#x are not what comes next", size, p)}
}

// move makes the pointer at p lead to the copy of size bytes, and returns that.
func (w *Walk) move(p *uintptr, size uintptr) (unsafe.Pointer, error) {
	to, err := w.take(*p, size)
	if err != nil {
		return nil, err
	}
	w.set(p, uintptr(to))
	return to, nil
}

func (w *Walk) set(p *uintptr, to uintptr) {
	w.moved = append(w.moved, moved{p, *p})
	*p = to
}

const (
	maxDepth = 16      // of structs in structs
	maxCount = 1 << 26 // of elements
)

// fields checks a struct of type t at p. Its chain comes first, unless it is a link of one.
func (w *Walk) fields(t *Type, p unsafe.Pointer, chain bool) error {
	if w.depth++; w.depth > maxDepth {
		return &Error{"structs in structs, too deep"}
	}
	defer func() { w.depth-- }()
	all := fields[t.First:][:t.Count]
	for i := range all {
		f := &all[i]
		if f.Kind == Chain && !chain {
			continue
		}
		if err := w.field(f, p); err != nil {
			return err
		}
	}
	return nil
}

func word(p unsafe.Pointer, at uint16) uint32 { return *(*uint32)(unsafe.Add(p, at)) }

// holds says whether the condition of a field is met.
func (f *Field) holds(p unsafe.Pointer) bool {
	if f.Condition == always {
		return true
	}
	v := word(p, f.If)
	switch f.Condition {
	case onlyIfIs:
		return int32(v) == f.Value
	case onlyIfImage: // as front.h has it
		return v <= 3 || v == 10
	case onlyIfBuffer:
		return v >= 6 && v <= 9
	case onlyIfTexel:
		return v == 4 || v == 5
	}
	return false
}

// count is how many elements a pointer leads to.
func (f *Field) count(p unsafe.Pointer) uint64 {
	var n uint64
	switch f.Length {
	case lengthOne:
		n = uint64(f.Count)
	case length4:
		n = uint64(word(p, f.At))
	case length8:
		n = *(*uint64)(unsafe.Add(p, f.At))
	case lengthTo4, lengthTo8, lengthVia4: // what leads there has been checked: it stands before
		to := *(*unsafe.Pointer)(unsafe.Add(p, f.At))
		switch {
		case to == nil:
		case f.Length == lengthTo8:
			n = *(*uint64)(to)
		default:
			n = uint64(word(to, f.Via))
		}
	}
	switch f.Divide {
	case 4:
		return n / 4
	case 32:
		return (n + 31) / 32
	}
	return n
}

func (w *Walk) field(f *Field, p unsafe.Pointer) error {
	at := unsafe.Add(p, f.Offset)
	if f.Kind == File { // 4 bytes
		if fd := (*int32)(at); *fd >= 0 {
			*fd = -1
			w.files = append(w.files, fd)
		}
		return nil
	}
	pointer := (*uintptr)(at)
	if !f.holds(p) {
		if f.Condition != onlyIfIs { // else another member of the union is there
			w.set(pointer, 0)
		}
		return nil
	}
	switch f.Kind {
	case Inline:
		t := &types[f.Arg]
		for i := range uintptr(f.Count) {
			if err := w.fields(t, unsafe.Add(at, i*uintptr(t.Size)), true); err != nil {
				return err
			}
		}
		return nil
	case Handle:
		w.handles(unsafe.Slice(pointer, f.Count))
		return nil
	case Drop:
		w.set(pointer, 0)
		return nil
	}
	if *pointer == 0 {
		if f.Kind == Wait {
			return &Error{"a call that would wait in the helper"}
		}
		return nil
	}
	switch f.Kind {
	case Chain:
		return w.chain(pointer)
	case Text:
		return w.text(pointer)
	case Texels:
		to, err := w.take(*pointer-8, 8)
		if err != nil {
			return err
		}
		n := *(*uint64)(to)
		if n > 1<<40 {
			return &Error{fmt.Sprintf("%d bytes of texels", n)}
		}
		w.texels = append(w.texels, n)
		_, err = w.move(pointer, uintptr(n))
		return err
	case Data:
		to, err := w.move(pointer, 0)
		if err != nil {
			return err
		}
		s := &w.spans[min(w.span, len(w.spans)-1)]
		w.data, w.left = to, uintptr(len(s.Copy))-(uintptr(to)-uintptr(unsafe.Pointer(unsafe.SliceData(s.Copy))))
		w.at = uintptr(len(s.Copy)) // nothing else comes
		return nil
	}
	n := f.count(p)
	if n > maxCount && f.Kind != Bytes || n > 1<<40 {
		return &Error{fmt.Sprintf("%d elements", n)}
	}
	return w.array(f, p, pointer, uintptr(n))
}

// array checks what a pointer to n elements leads to.
func (w *Walk) array(f *Field, p unsafe.Pointer, pointer *uintptr, n uintptr) error {
	switch f.Kind {
	case Struct:
		t := &types[f.Arg]
		to, err := w.move(pointer, n*uintptr(t.Size))
		for i := uintptr(0); err == nil && i < n; i++ {
			err = w.fields(t, unsafe.Add(to, i*uintptr(t.Size)), true)
		}
		return err
	case Texts, Handles:
		to, err := w.move(pointer, n*8)
		if err != nil {
			return err
		}
		all := unsafe.Slice((*uintptr)(to), n)
		if f.Kind == Handles {
			w.handles(all)
			return nil
		}
		for i := range all {
			if all[i] == 0 {
				continue
			}
			if err := w.text(&all[i]); err != nil {
				return err
			}
		}
		return nil
	}
	size := n * uintptr(f.Arg)
	if f.Stride != 0 && n > 0 {
		size = (n-1)*uintptr(word(p, f.Stride)) + uintptr(f.Arg)
	}
	_, err := w.move(pointer, size)
	return err
}

// handles makes VK_NULL_HANDLE of what is none, for good: where the driver puts handles, anything may stand.
func (w *Walk) handles(all []uintptr) {
	for i, h := range all {
		if h != 0 && !w.handle(h) {
			all[i] = 0
		}
	}
}

// text checks that a text ends.
func (w *Walk) text(pointer *uintptr) error {
	to, err := w.take(*pointer, 0)
	if err != nil {
		return err
	}
	s := &w.spans[w.span]
	off := w.at // where it begins
	n := bytes.IndexByte(s.Copy[min(off, uintptr(len(s.Copy))):], 0)
	if n < 0 {
		return &Error{"a text without an end"}
	}
	w.at = align(off + uintptr(n) + 1)
	w.set(pointer, uintptr(to))
	return nil
}

// chain checks a pNext chain.
func (w *Walk) chain(next *uintptr) error {
	for n := 0; *next != 0; n++ {
		if n == abi.MaxChain {
			return &Error{"a chain that is too long"}
		}
		to, err := w.take(*next, 16)
		if err != nil {
			return err
		}
		t := chained(*(*int32)(to))
		if t == nil {
			return &Error{fmt.Sprintf("a chain with an unknown struct (sType %d)", *(*int32)(to))}
		}
		w.at -= 16 // all of it
		if to, err = w.move(next, uintptr(t.Size)); err != nil {
			return err
		}
		if err := w.fields(t, to, false); err != nil {
			return err
		}
		next = (*uintptr)(unsafe.Add(to, 8))
	}
	return nil
}
