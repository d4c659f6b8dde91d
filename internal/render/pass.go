// Package render executes render passes and dispatches on images and buffers:
// assembly, the stages that make primitives (package geometry), binning of the
// whole pass into tiles, and workers that take whole tiles.
//
// A pass runs in rounds. A round takes chunks of vertices in API order, shades
// them on all workers, assembles and bins their primitives, and ends when the
// pass does or when the bins have used up their budget; then every tile draws
// its list, again on all workers. A tile belongs to one worker at a time, so
// that attachment memory needs no locks, and its list is in API order, so that
// neither the number of workers nor the extent of tiles nor the number of lanes
// changes a bit of the result.
package render

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/render/watch"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Pass is one render pass instance (dynamic rendering, or one subpass).
type Pass struct {
	// Area is the render area in pixels; it must lie inside every attachment.
	Area vk.Rect2D
	// Layers is the number of layers that are rendered to; 0 means 1.
	// Ignored when ViewMask is not zero.
	Layers int
	// ViewMask has a bit for each view of a multiview pass.
	ViewMask uint32
	// Samples is the number of rasterization samples, 1, 2, 4, …, 64; 0
	// means that of the attachments, or 1 without attachments.
	Samples int
	// Color holds the colour attachments by location; an element whose View
	// is nil is unused.
	Color []Attachment
	// Depth and Stencil may name the same view (a combined format), or be
	// nil.
	Depth, Stencil *Attachment
	// Rate is the fragment shading rate attachment, or nil.
	Rate *rates.Attachment
	// Density is the fragment density map attachment, or nil.
	Density *DensityMap
	// Draws are executed in order.
	Draws []Draw
	// Occlusion are sample counters that draws add to (see Draw.Occlusion).
	Occlusion []uint64
	// CountAll makes Stats count all work that Vulkan asks for: draws of which
	// nothing is seen are carried out, and hidden fragments shaded.
	CountAll bool
	// Watches are samples whose history is told. They are slow.
	Watches []*watch.Watch
	// Memory are places of which it is told who stored to them. One worker carries the pass out then,
	// and shaders that store to memory run on the portable engine.
	Memory []*Memory
	// CountStreams makes Stats count the primitives of each vertex stream.
	CountStreams bool
}

// Attachment is an image view that a pass draws to.
type Attachment struct {
	View *resource.ImageView
	// Resolve is where the samples are resolved to at the end of the pass;
	// nil means nowhere. ResolveMode says how; zero is ResolveModeNone.
	Resolve     *resource.ImageView
	ResolveMode vk.ResolveModeFlags
	// SkipTransfer averages the codes of sRGB formats instead of the values that they stand for (RAS-353).
	SkipTransfer bool
	// Spread makes all samples of a loaded attachment start as the texel of
	// Resolve, which has one sample.
	Spread bool
	// Load and Store are the operations of this aspect (of a combined
	// depth/stencil view, those of the aspect that the field of Pass names).
	Load  vk.AttachmentLoadOp
	Store vk.AttachmentStoreOp
	// LoadMask limits Load to some views of a multiview pass; 0 means all.
	LoadMask uint32
	// ClearColor is the clear value of a colour attachment in the numeric
	// class of the view's format: float bits, or integers.
	ClearColor   format.Texel
	ClearDepth   float32
	ClearStencil uint32
}

// Draw is one drawing command, or one clear of attachments inside the pass.
// Everything it points to must stay unchanged until Run returns.
type Draw struct {
	Pipeline *Pipeline
	// State is the complete state: where a piece is dynamic what the command
	// buffer set last, else what Pipeline.Static has. Draws may share it.
	State *DynamicState
	// Scissors stand for those of State, where they are set; not in passes with Watches.
	Scissors *[MaxViewports]vk.Rect2D
	// VertexBuffers are indexed by binding number.
	VertexBuffers []VertexBuffer
	// Index makes the draw indexed.
	Index *IndexBuffer
	// First is the first vertex, or the first index; Count their number.
	First, Count uint32
	// FirstInstance and Instances select the instances.
	FirstInstance, Instances uint32
	// VertexOffset is added to every index of an indexed draw.
	VertexOffset int32
	// DrawIndex is the DrawIndex built-in; elements of Indirect count from it.
	DrawIndex uint32
	// Indirect, when set, replaces First to VertexOffset. It is read when the
	// draw is reached.
	Indirect *Indirect
	// ByteCount, when set, gives the number of vertices instead of Count.
	ByteCount *ByteCount
	// The descriptors and push constants of the stages; nil where there is no
	// such stage.
	Vertex, Control, Evaluation, Geometry, Task, Mesh, Fragment *exec.Context
	// Groups are the workgroups of a mesh draw; Indirect then holds
	// VkDrawMeshTasksIndirectCommandEXT.
	Groups [3]uint32
	// Traced gives a shader of a stage that tells what it computes (exec.Context.Trace) and can take
	// the
	// place of the pipeline's; for Watches.
	Traced func(ir.Stage) (exec.Routine, error)
	// Names are those that shaders give interface variables, for Watches; nil: they have none.
	Names *Names
	// Occlusion is 1 + the index of the counter in Pass.Occlusion to which the
	// samples that pass are added; 0 means none.
	Occlusion int
	// Barrier finishes all earlier draws before this one starts (a pipeline
	// barrier inside the pass).
	Barrier bool
	// Feedback is where outputs are captured; nil: nowhere.
	Feedback *Feedback
	// Event, when set, is called once everything before it has been captured,
	// and before anything behind it; all other fields are ignored.
	Event func()
	// Clear makes this a clear (vkCmdClearAttachments) instead of a draw;
	// all other fields are ignored.
	Clear *Clear
}

// Names are names of interface variables, by location: inputs of the vertex shader, outputs of the last stage before
// rasterization, and inputs and outputs of the fragment shader.
type Names struct{ Fetched, Vertex, Inputs, Outputs map[uint32]string }

// VertexBuffer is a bound range of a vertex buffer.
type VertexBuffer = geometry.VertexBuffer

// IndexBuffer is a bound range of an index buffer. Indices beyond Data read as
// zero.
type IndexBuffer struct {
	Data []byte
	Type vk.IndexType
	// RestartIndex restarts primitives in the place of the largest index of the type
	// if CustomRestart is set.
	RestartIndex  uint32
	CustomRestart bool
}

// Indirect says where the parameters of a draw are: DrawCount structures
// VkDrawIndirectCommand, or VkDrawIndexedIndirectCommand where Draw.Index is
// set, Stride bytes apart, from Buffer[Offset]. Structures that reach beyond the
// buffer draw nothing.
type Indirect struct {
	Buffer    []byte
	Offset    uint64
	DrawCount uint32
	Stride    uint32
	// Count, when set, is a buffer that holds the number of draws at
	// CountOffset; DrawCount is then their maximum.
	Count       []byte
	CountOffset uint64
}

// ByteCount says that a counter buffer of transform feedback, less Offset, holds
// the size of the vertices, Stride bytes each.
type ByteCount struct {
	Counter        []byte
	Offset, Stride uint32
}

// Clear clears rectangles of attachments in the middle of a pass.
type Clear struct {
	// Aspect selects colour (attachment ColorAttachment), depth, stencil.
	Aspect          vk.ImageAspectFlags
	ColorAttachment int
	Color           format.Texel
	Depth           float32
	Stencil         uint32
	Rects           []vk.ClearRect
}

// Config sizes an Executor. Zero fields take their defaults.
type Config struct {
	// Threads is the number of workers; default GOMAXPROCS.
	Threads int
	// Engine compiles all that happens to fragments besides their shader.
	Engine exec.Engine
	// TileSize is the extent of a tile in pixels: 16, 32, 64, 128 or 256;
	// default 64.
	TileSize int
	// Lanes is the number of lanes of a batch: 64, 128 or 256; default 256.
	Lanes int
	// CoverageSamples is how many samples a fragment may have, all pixels together
	// (RAS-137); default MaxCoverageSamples.
	CoverageSamples int
	// PixelMasks keeps fragments of shaders with SampleMask or an interlock mode to a
	// pixel, as fragmentShadingRateWithShaderSampleMask and …WithFragmentShaderInterlock
	// say where they are FALSE (RAS-148).
	PixelMasks bool
	// Scratch gives the memory that shaders' variables take, that of the largest program for each worker: at most
	// vm.MaxPrivateBytes a lane, and what registers take. With none, it is the Go heap.
	Scratch *memory.Allocator
	// BinBytes bounds the memory of a round's vertices, primitives and
	// tile lists; default 8 MiB, at least 1 MiB.
	BinBytes int64
}

// Stats says what a pass did. Times are in nanoseconds.
type Stats struct {
	geometry.Stats
	// VerticesIn counts the vertices that the draws named; reuse saves the difference to Vertices.
	VerticesIn uint64
	// Primitives counts those that reached clipping, which may be more than were assembled, or
	// fewer, Rasterized those that survived clipping and culling, Clipped those that came out of
	// clipping.
	Primitives, Rasterized, Clipped uint64
	// Generated counts the primitives of each vertex stream if CountStreams is
	// set or they are captured, Needed those to capture, Written those captured.
	Generated, Needed, Written [ir.MaxStreams]uint64
	// Fragments counts fragment shader invocations without helpers; Batches
	// the runs of the fragment shader; Lanes their lanes with helpers. Where
	// tests come after shading, fragments that are sure to fail are not
	// shaded, and how many are sure depends on the number of lanes; nor are
	// fragments that later ones of their tile hide (RAS-305).
	Fragments, Batches, Lanes uint64
	// Rounds counts how often the bins were flushed, Tiles the tiles drawn.
	Rounds, Tiles uint64
	// BinNS and TileNS are how long the pass waited for its bins (vertices to
	// set-up) and for its tiles. VertexNS (vertex shading) and ResolveNS are
	// parts of them, summed over the workers.
	VertexNS, BinNS, TileNS, ResolveNS int64
}

// Add adds t to s.
func (s *Stats) Add(t Stats) {
	s.Vertices += t.Vertices
	s.Assembled += t.Assembled
	s.Patches += t.Patches
	s.Evaluations += t.Evaluations
	s.TaskInvocations += t.TaskInvocations
	s.MeshInvocations += t.MeshInvocations
	s.MeshPrimitives += t.MeshPrimitives
	s.GeometryInvocations += t.GeometryInvocations
	s.GeometryPrimitives += t.GeometryPrimitives
	s.VerticesIn += t.VerticesIn
	s.Primitives += t.Primitives
	for i := range s.Needed {
		s.Generated[i] += t.Generated[i]
		s.Needed[i] += t.Needed[i]
		s.Written[i] += t.Written[i]
	}
	s.Rasterized += t.Rasterized
	s.Clipped += t.Clipped
	s.Fragments += t.Fragments
	s.Batches += t.Batches
	s.Lanes += t.Lanes
	s.Rounds += t.Rounds
	s.Tiles += t.Tiles
	s.VertexNS += t.VertexNS
	s.BinNS += t.BinNS
	s.TileNS += t.TileNS
	s.ResolveNS += t.ResolveNS
}
