package ir

// Shape is what the execution modes of the stages between vertices and fragments
// say.
type Shape struct {
	// InputVertices are the vertices of a primitive that a geometry shader takes.
	InputVertices uint32
	// Output is what a geometry or mesh shader makes.
	Output OutputPrimitive
	// Invocations of a geometry shader for each primitive.
	Invocations uint32
	// MaxVertices bounds what a geometry shader's invocation emits, or the
	// vertices of a mesh; MaxPrimitives its primitives.
	MaxVertices, MaxPrimitives uint32
	// PatchVertices are the vertices of the patch that a control shader makes.
	PatchVertices uint32
	// Of a control or evaluation shader; zero where the module does not say.
	Domain    TessDomain
	Spacing   TessSpacing
	Winding   TessWinding
	PointMode bool
}

// OutputPrimitive is the kind of primitives that a stage makes.
type OutputPrimitive uint8

const (
	OutputNone OutputPrimitive = iota
	OutputPoints
	OutputLines
	OutputTriangles
)

// TessDomain is what a tessellator subdivides.
type TessDomain uint8

const (
	DomainNone TessDomain = iota
	DomainTriangles
	DomainQuads
	DomainIsolines
)

// TessSpacing is how edges are subdivided.
type TessSpacing uint8

const (
	SpacingNone TessSpacing = iota
	SpacingEqual
	SpacingFractionalEven
	SpacingFractionalOdd
)

// TessWinding is the order of a tessellated triangle's vertices.
type TessWinding uint8

const (
	WindingNone TessWinding = iota
	WindingCW
	WindingCCW
)

// SharedOutput is one scalar of an output that lies in shared memory: that of vertex
// or primitive v stands Offset + v·Stride bytes from the group's base. What
// belongs to a patch has no stride.
type SharedOutput struct {
	IO
	Offset, Stride uint32
}

// Bits of BuiltinEmitMark: the stream, and whether the vertex goes on with the
// strip of the vertices before it in its stream.
const (
	EmitStream = 0xff
	EmitJoined = 1 << 8
)

// MaxStreams is the number of vertex streams.
const MaxStreams = 16

// MaxFeedbackBuffers is the number of transform feedback buffers.
const MaxFeedbackBuffers = 8
