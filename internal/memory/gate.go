package memory

import (
	"fmt"
	"math"
	"sync"
	"time"
)

// The system provides pages of a block when they are first touched, and ends a process that
// touches one for which it has none. A Gate refuses the block instead, as far as that can be
// known: what blocks have been promised and not touched yet is counted.

const (
	// gateReserve is what is left of the host for others, at most; it is 1/16 of a small one.
	gateReserve = 256 << 20
	// gatePeriod is for how long blocks are let through without another look at the host,
	// as long as they take no more than 1/gateShare of what it had left.
	gatePeriod = 50 * time.Millisecond
	gateShare  = 8
)

// Gate lets blocks be made for which the host has memory. It is safe for concurrent use, and
// serves several Allocators: it is the process for which the host has memory.
type Gate struct {
	host *Host

	mu       sync.Mutex
	blocks   map[*Block]struct{}
	promised int64 // bytes of blocks
	free     int64 // bytes that may be promised until the next look
	until    time.Time
}

// NewGate makes a gate to a host.
func NewGate(h *Host) *Gate { return &Gate{host: h, blocks: map[*Block]struct{}{}} }

// HostError says that the host has not enough memory left for a block.
type HostError struct {
	Left int64 // bytes that may still be promised
}

func (e *HostError) Error() string {
	return fmt.Sprintf("the machine or the process's control group has %d MiB left for it; "+
		"free memory, or raise the group's limit", e.Left>>20)
}

// Room is how many more bytes the host has for blocks, besides those that they have been promised,
// at least 0. It is math.MaxInt64 if that is not known, and may be too low where it is enough or
// more.
func (g *Gate) Room(enough int64) int64 {
	if g == nil {
		return math.MaxInt64
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.room(enough)
}

func (g *Gate) room(enough int64) int64 {
	left, swap, ok := g.host.Left()
	if !ok {
		return math.MaxInt64
	}
	left += swap - min(gateReserve, g.host.Total()/16)
	if room := left - g.promised; room >= enough {
		return room
	}
	for b := range g.blocks { // where it gets tight, it is worth looking at each page
		left -= b.size - min(b.size, residentBytes(b.data))
	}
	return max(left, 0)
}

// admit says why there is no memory for n bytes.
func (g *Gate) admit(n int64) error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if now := time.Now(); n > g.free || now.After(g.until) {
		room := g.room(n)
		if n > room {
			return &SystemError{Size: n, Err: &HostError{Left: room}}
		}
		g.free, g.until = max(n, room/gateShare), now.Add(gatePeriod)
	}
	g.free -= n
	return nil
}

// enter counts a block that has its memory, until leave.
func (g *Gate) enter(b *Block) {
	if g == nil || !b.mapped || b.slot.arena != nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.blocks[b] = struct{}{}
	g.promised += b.size
}

func (g *Gate) leave(b *Block) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.blocks[b]; ok {
		delete(g.blocks, b)
		g.promised -= b.size
	}
}
