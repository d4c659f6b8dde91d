// Package assembly turns vertices, or indices of vertices, into primitives.
//
// It works as a stream: a source is set, and Next fills as many primitives as
// there is room for. Memory is a window of a few vertices, whatever the draw.
package assembly

import (
	"fmt"

	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
	"github.com/pumice-gpu/pumice/vk"
)

// Primitive is a point, line or triangle.
type Primitive struct {
	// V are vertex indices (VertexIndex): of an indexed draw the index plus
	// vertexOffset, else firstVertex plus the ordinal. The first N are used;
	// the others repeat the last.
	V [3]uint32
	// ID counts the primitives of an instance (PrimitiveId).
	ID uint32
	// N is the number of vertices: 1, 2 or 3.
	N uint8
	// Provoking is the position in V of the provoking vertex.
	Provoking uint8
	// Flags: FlagRunStart.
	Flags uint8
}

// FlagRunStart marks a primitive at which line stipple starts again: each of a
// list, the first of a strip (RAS-225).
const FlagRunStart = 1

// Config says how vertices form primitives.
type Config struct {
	Topology  vk.PrimitiveTopology
	Provoking vk.ProvokingVertexModeEXT
	// Restart enables primitive restart; it acts on indexed sources only.
	Restart bool
	// PatchVertices are the vertices of a patch (patchControlPoints); 0 where
	// there is no tessellation.
	PatchVertices uint32
}

// UnsupportedError names a topology that can't be assembled.
type UnsupportedError struct {
	Topology vk.PrimitiveTopology
	Rule     string // the rule of the catalogue
	Advice   string // what to do instead
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("assembly: topology %v is not supported (%s): %s", e.Topology, catalogue.Name(e.Rule), e.Advice)
}

// IndexSizeError says that an index is not 1, 2 or 4 bytes.
type IndexSizeError struct{ Size int }

func (e *IndexSizeError) Error() string {
	return fmt.Sprintf("assembly: an index of %d bytes: use 1, 2 or 4", e.Size)
}

// Assembler assembles the primitives of one draw. The zero value is a point list
// without vertices; Reset, then Vertices or Indices for each instance, then Next
// until Done.
type Assembler struct {
	config Config
	last   bool // provoking vertex last

	// Source.
	data      []byte // indices; nil for a source without
	indexSize int
	restartAt uint32
	first     uint32
	count     uint32
	offset    uint32 // vertexOffset, modulo 2^32
	at        uint32 // next ordinal, < count

	// Run: since the start of the source or the last restart.
	n      uint64    // vertices seen
	window [8]uint32 // vertex k of the run is at k&7, while it is needed
	hub    uint32    // vertex 0 of the run
	id     uint32

	// NextWide: more of the run, and whether it has ended.
	wide  [wideWindow]uint32
	ended bool
}

// Reset sets what is the same for all instances of a draw. It returns an
// *UnsupportedError for patch lists without PatchVertices (RAS-051), and for
// values that are no topology.
func (a *Assembler) Reset(c Config) error {
	switch {
	case c.Topology == vk.PrimitiveTopologyPatchList && (c.PatchVertices == 0 || c.PatchVertices > MaxVertices):
		return &UnsupportedError{c.Topology, "RAS-051", "patches need tessellation shaders and 1 to 32 vertices"}
	case c.Topology < 0 || c.Topology > vk.PrimitiveTopologyPatchList:
		return &UnsupportedError{c.Topology, "RAS-046", "use a value of VkPrimitiveTopology"}
	}
	*a = Assembler{}
	a.config, a.last = c, c.Provoking == vk.ProvokingVertexModeLastVertexEXT
	return nil
}

// Vertices sets a source without indices: count vertices from first.
func (a *Assembler) Vertices(first, count uint32) {
	a.data, a.first, a.count, a.offset = nil, first, count, 0
	a.indexSize = 0
	a.start()
}

// Indices sets an indexed source: count little-endian indices of indexSize bytes
// from index number first of data. Indices beyond data read as 0. vertexOffset is
// added after the comparison with the restart value.
// RAS-054 VkPipelineInputAssemblyStateCreateInfo
func (a *Assembler) Indices(data []byte, indexSize int, first, count uint32, vertexOffset int32) error {
	switch indexSize {
	case 1:
		a.restartAt = 0xff
	case 2:
		a.restartAt = 0xffff
	case 4:
		a.restartAt = 0xffffffff
	default:
		return &IndexSizeError{indexSize}
	}
	a.data, a.indexSize, a.first, a.count, a.offset = data, indexSize, first, count, uint32(vertexOffset)
	a.start()
	return nil
}

// RestartAt replaces the value that restarts primitives, until Indices is called again.
// RAS-054 vkCmdSetPrimitiveRestartIndexEXT
func (a *Assembler) RestartAt(index uint32) { a.restartAt = index }

// start begins an instance: primitive IDs count from 0 (RAS-056).
func (a *Assembler) start() {
	a.at, a.id, a.ended = 0, 0, false
	a.restart()
}

// restart begins a run: parity, hub and windows start again, IDs go on.
// RAS-055 interfaces-builtin-variables-primitiveid
func (a *Assembler) restart() {
	a.n = 0
}

// read takes the next vertex of the source, which must have one.
func (a *Assembler) read() (vertex uint32, restart bool) {
	ordinal := a.at
	a.at++
	if a.indexSize == 0 {
		return a.first + ordinal, false
	}
	index := Index(a.data, a.indexSize, uint64(a.first)+uint64(ordinal))
	if a.config.Restart && index == a.restartAt {
		return 0, true
	}
	return index + a.offset, false
}

// Index is index number i of data, of size 1, 2 or 4 bytes; 0 beyond its end. i is less than 2^33.
func Index(data []byte, size int, i uint64) uint32 {
	at := i * uint64(size)
	if at+uint64(size) > uint64(len(data)) {
		return 0
	}
	b := data[at:]
	switch size {
	case 1:
		return uint32(b[0])
	case 2:
		return uint32(b[0]) | uint32(b[1])<<8
	}
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// Consecutive says that primitives of a source that does not restart have consecutive vertices, or
// indices: those of lists without adjacency.
// RAS-046 drawing-primitive-topologies
func (c Config) Consecutive() bool {
	switch c.Topology {
	case vk.PrimitiveTopologyPointList, vk.PrimitiveTopologyLineList, vk.PrimitiveTopologyTriangleList:
		return true
	}
	return false
}

// Consecutive is Next for a Config that is and a source that does not restart: n primitives, limit at
// most, whose vertices begin with that of an ordinal, and whose numbers begin with id. Each of them
// has FlagRunStart, and its first or last vertex provokes.
func (a *Assembler) Consecutive(limit int) (ordinal, id uint32, n int) {
	size := uint32(a.config.Vertices())
	n = int(min(uint32(limit), (a.count-a.at)/size)) // the count may not fit an int
	ordinal, id = a.at, a.id
	if a.at, a.id = a.at+size*uint32(n), a.id+uint32(n); a.count-a.at < size {
		a.at = a.count // which is no primitive (RAS-053)
	}
	return ordinal, id, n
}

// lookAhead is how many vertices a call reads at most beyond the room that it has, so
// that it returns soon where primitives restart again and again.
const lookAhead = 1 << 18

// end is where a call stops reading.
func (a *Assembler) end() uint32 { return a.at + min(a.count-a.at, lookAhead) }

// Done says that the source is used up.
func (a *Assembler) Done() bool { return a.at >= a.count && !a.ended && a.n == 0 }

// Next fills dst with the next primitives, in order, and returns their number; 0
// means that the source is used up, or that there are very many vertices that complete
// no primitive, which give nothing (RAS-053): see Done.
func (a *Assembler) Next(dst []Primitive) int {
	n := 0
	for end := a.end(); n < len(dst) && a.at < end; {
		vertex, restart := a.read()
		if restart {
			a.restart()
			continue
		}
		if a.push(&dst[n], vertex) {
			n++
		}
	}
	if a.at >= a.count {
		a.n = 0 // nothing comes that the run's vertices wait for
	}
	return n
}
