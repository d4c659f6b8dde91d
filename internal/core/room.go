package core

import "github.com/pumice-gpu/pumice/internal/exec"

// room is memory for what draws have of their own. That of a pass is used again after it.
type room struct {
	contexts pieces[exec.Context]
	push     pieces[byte]
	emptied  uint32 // how often
}

// pieces hands out parts of blocks.
type pieces[T any] struct {
	blocks    [][]T
	now, used int // the block that parts come from, and how much of it is gone
}

// roomDraws is for how many draws memory is taken at a time, roomBlocks how many times as much is kept.
const (
	roomDraws  = 64
	roomBlocks = 1 << 10
)

func (m *room) context() *exec.Context { return &m.contexts.take(1, roomDraws)[0] }

// bytes returns a copy of b, not nil.
func (m *room) bytes(b []byte) []byte {
	c := m.push.take(len(b), roomDraws*MaxPushBytes)
	copy(c, b)
	return c
}

// many says that more is in use than is kept.
func (m *room) many() bool { return max(m.contexts.now, m.push.now) >= roomBlocks }

// empty takes everything back. Nobody may look at it any more.
func (m *room) empty() {
	m.contexts.empty()
	m.push.empty()
	m.emptied++
}

// take returns n elements, from a new block of at least size where the present ones are used up.
func (p *pieces[T]) take(n, size int) []T {
	if p.now < len(p.blocks) && len(p.blocks[p.now])-p.used < n {
		p.now, p.used = p.now+1, 0
	}
	if p.now == len(p.blocks) {
		p.blocks = append(p.blocks, make([]T, size))
	}
	at := p.used
	p.used += n
	return p.blocks[p.now][at:p.used:p.used]
}

// empty clears what is in use, so that it holds on to nothing.
func (p *pieces[T]) empty() {
	for i := range p.blocks[:min(p.now+1, len(p.blocks))] {
		clear(p.blocks[i])
	}
	if len(p.blocks) > roomBlocks {
		clear(p.blocks[roomBlocks:])
		p.blocks = p.blocks[:roomBlocks]
	}
	p.now, p.used = 0, 0
}
