package core

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/trace"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// wordBytes is how many bytes of a buffer are watched.
const wordBytes = 4

// checkWord says what is there instead of a word that is not.
func (d *Device) checkWord(op Op, p *WatchPoint) error {
	b := p.Buffer
	if err := b.use(d, op); err != nil {
		return err
	}
	bad := func(hint, text string, args ...any) error {
		return &Error{
			Op:     d.named(op),
			Rule:   "WatchPoint",
			Detail: fmt.Sprintf(text, args...),
			Hint:   hint,
		}
	}
	switch {
	case p.Offset%wordBytes != 0:
		return bad("watch the word that it is in", "byte %d of %s is not a multiple of %d",
			p.Offset, b.label(), wordBytes)
	case p.Offset > b.size || b.size-p.Offset < wordBytes:
		return bad("", "byte %d of %s, which has %d", p.Offset, b.label(), b.size)
	case b.mem == nil:
		return bad("bind memory to it", "%s has no memory", b.label())
	case b.word(p.Offset) == nil:
		return &Error{
			Op:     d.named(op),
			Rule:   "WatchPoint",
			Detail: fmt.Sprintf("words of %s, a sparse buffer, are not watched", b.label()),
			Hint:   "watch buffers that are bound as a whole",
			Err:    ErrUnsupported,
		}
	}
	return nil
}

// word is a word of a buffer that was found in a descriptor.
type word struct {
	data []byte // nil: not found yet
	name string
	size int // of what is bound
}

func (b *Storage) String() string {
	if b.Name != "" {
		return b.Name
	}
	return fmt.Sprintf("set %d, binding %d", b.Set, b.Binding)
}

// nowhere says that nothing has such a buffer.
func (b *Storage) nowhere() string {
	who := "no dispatch or draw that was watched has a"
	if b.Dispatch >= 0 {
		who = fmt.Sprintf("dispatch %d was not watched, or has no", b.Dispatch)
	}
	return who + " storage buffer there: " + b.String()
}

// find finds the word in what a dispatch or a draw has bound.
func (p *watched) find(c *exec.Context, program *ir.Program) {
	for i := range program.Resources {
		x := &program.Resources[i]
		if x.Kind != ir.StorageBuffer || x.Heap || i >= len(c.Resources) ||
			len(c.Resources[i]) == 0 {
			continue
		}
		if b := p.Bound; b.Name != "" && b.Name != x.Name ||
			b.Name == "" && (b.Set != x.Set || b.Binding != x.Binding) {
			continue
		}
		if data := c.Resources[i][0].Data; p.Offset%wordBytes == 0 &&
			p.Offset+wordBytes <= uint64(len(data)) {
			p.found = word{data[p.Offset:][:wordBytes:wordBytes], x.String(), len(data)}
			p.begin()
			return
		}
	}
}

// memory is the word; nil: it has none, or is not found yet.
func (p *watched) memory() []byte {
	if p.Bound != nil {
		return p.found.data
	}
	return p.Buffer.word(p.Offset)
}

// word is the word at a byte; nil: it has no memory.
func (b *Buffer) word(at uint64) []byte {
	if data := b.data; at+wordBytes <= uint64(len(data)) {
		return data[at:][:wordBytes]
	}
	return nil
}

// word describes a word of a buffer.
func (p *watched) word() explain.Target {
	t := explain.Target{Offset: p.Offset, Format: "32 bits", Height: 1, Samples: 1}
	if p.Bound != nil {
		t.Buffer, t.Width = cmp.Or(p.found.name, p.Bound.String()), p.found.size
	} else {
		t.Buffer, t.Width = cmp.Or(p.Buffer.name, p.Buffer.kind), int(min(p.Buffer.size, math.MaxInt32))
	}
	return t
}

// wordValue is a word as each kind of number.
func wordValue(b []byte) explain.Value {
	if b == nil {
		return explain.Value{}
	}
	x := binary.LittleEndian.Uint32(b)
	text := fmt.Sprint(x)
	if int32(x) < 0 {
		text += fmt.Sprintf(", signed %d", int32(x))
	}
	return explain.Value{
		Bits: hex.EncodeToString(b),
		Text: text + ", float " + explain.Float(math.Float32frombits(x)),
	}
}

// place is the point as those see it who write.
func (p *watched) place() trace.Spot {
	if p.Image == nil {
		return trace.Spot{Memory: p.memory()}
	}
	return trace.Spot{
		Image:  p.Image.res,
		X:      p.X,
		Y:      p.Y,
		Slice:  p.Layer,
		Level:  p.Level,
		Sample: p.Sample,
	}
}

// dispatch carries out a dispatch, and tells of samples who wrote them last.
func (w *Watcher) dispatch(
	ctx context.Context,
	r *runner,
	p *Pipeline,
	base, groups [3]uint32,
	plain func() error,
) error {
	a := &about{op: "vkCmdDispatch", kind: explain.Dispatch}
	defer func() { w.dispatches++ }()
	run := plain
	var told []*render.Written
	c := r.contexts(vk.PipelineBindPointCompute)[0]
	for _, of := range w.points {
		if b := of.Bound; b != nil && of.found.data == nil &&
			(b.Dispatch < 0 || b.Dispatch == w.dispatches) {
			of.find(c, p.programs[0])
		}
		if of.Stages && of.storable() {
			o := &render.Written{Spot: of.place(), Most: w.mostSteps()}
			if a.writers == nil {
				a.writers = map[*watched]*render.Written{}
			}
			a.writers[of], told = o, append(told, o)
		}
	}
	if told != nil {
		run = func() error {
			routine, err := p.traced(ir.StageCompute)
			if err != nil {
				a.missing = err.Error()
				return plain()
			}
			return r.dev.executor.Dispatch(ctx, r, routine, c, base, groups, told...)
		}
	}
	return w.told(r, a,
		fmt.Sprintf("command buffer %d, dispatch %d (%s)", r.number, r.dispatches, p.describe()),
		run)
}
