package draco

// The decoder's exports that are called: Emscripten's short names of Draco's own.
const (
	fnInit    = "f"  // __wasm_call_ctors
	fnMalloc  = "Qb" // malloc(size) pointer
	fnFree    = "Rb" // free(pointer)
	fnNew     = "Ja" // Decoder() decoder
	fnDelete  = "jb" // ~Decoder(decoder)
	fnNewMesh = "P"  // Mesh() mesh
	fnDelMesh = "T"  // ~Mesh(mesh)
	fnFaces   = "Q"  // Mesh::num_faces(mesh) count
	fnPoints  = "S"  // Mesh::num_points(mesh) count
	fnDecode  = "La" // Decoder::DecodeArrayToMesh(decoder, data, size, mesh) status
	fnOK      = "X"  // Status::ok(status) bool
	fnMessage = "Y"  // Status::error_msg(status) pointer
	fnByID    = "Qa" // Decoder::GetAttributeByUniqueId(decoder, mesh, id) attribute
	fnWidth   = "v"  // PointAttribute::num_components(attribute) count
	fnIndices = "Wa" // Decoder::GetTrianglesUInt32Array(decoder, mesh, size, out) bool
	fnValues  = "eb" // Decoder::GetAttributeDataArrayForAllPoints(decoder, mesh, attribute, type, size, out) bool

	memoryName = "e"
)

// Type is the type of an attribute's components; the numbers are Draco's.
type Type uint8

// The types that glTF has.
const (
	Int8    Type = 1
	Uint8   Type = 2
	Int16   Type = 3
	Uint16  Type = 4
	Uint32  Type = 6
	Float32 Type = 9
)

// size returns the bytes of a component, 0 for an unknown type.
func (t Type) size() int {
	switch t {
	case Int8, Uint8:
		return 1
	case Int16, Uint16:
		return 2
	case Uint32, Float32:
		return 4
	}
	return 0
}
