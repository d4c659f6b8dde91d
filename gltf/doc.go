// Package gltf reads glTF 2.0 models (.gltf and .glb) and evaluates them at a
// point in time. It draws nothing.
//
// There are two layers. Load and Read turn a file into a Document: every index
// is resolved and checked, every accessor is decoded into Go slices, missing
// normals are computed as the specification asks. Document.Pose evaluates one
// scene at one time of one animation: world matrices, morph weights, joint
// matrices, lights and cameras, and a flat list of the primitives to draw.
//
// Core glTF 2.0 is complete. Of the extensions, KHR_texture_transform,
// KHR_materials_unlit, KHR_materials_emissive_strength, KHR_lights_punctual and
// KHR_mesh_quantization are understood. Any other extension that a file
// requires is an error; one that it merely uses is a warning.
//
// Files are taken to be hostile. Every error is an *Error of one line that
// names the file and the place in its JSON; memory is charged to
// Options.Budget before it is taken; a URI cannot leave the model's folder.
//
// The same file gives the same bits on every CPU.
package gltf
