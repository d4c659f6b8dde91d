// Package gltf reads glTF 2.0 models (.gltf and .glb) and evaluates them at a
// point in time. OBJ, STL and PLY files become the same Documents (docs/models.md).
// It draws nothing.
//
// There are two layers. Load and Read turn a file into a Document: every index
// is resolved and checked, every accessor is decoded into Go slices, missing
// normals are computed as the specification asks. Document.Pose evaluates one
// scene at one time of one animation: world matrices, morph weights, joint
// matrices, lights and cameras, and a flat list of the primitives to draw.
//
// Core glTF 2.0 is complete; docs/gltf.md lists the extensions, docs/materials.md those of
// materials. One that is not supported and that a file requires is an error; where a file
// merely uses it, and for anything else that its picture lacks, Document.Losses has a line. Extensions
// that change nothing of the picture are passed over.
//
// Faults of files that cannot hurt are repaired, and are losses too; Options.Strict makes them errors.
// docs/gltf.md lists them.
//
// Files are taken to be hostile. Every error is an *Error of one line that names the file and the
// place in its JSON; memory is charged to Options.Budget before it is taken; a URI cannot leave the
// model's folder and Options.Assets.
//
// The same file gives the same bits on every CPU.
package gltf
