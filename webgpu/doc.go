// Package webgpu is a backend of github.com/gogpu/wgpu, a WebGPU in Go: with it, programs that use
// wgpu run on Pumice, without a GPU, a driver, a loader or cgo, and give the same bytes on every
// processor.
//
//	webgpu.Register(nil)
//	instance, err := wgpu.CreateInstance(nil)
//
// From there on it is wgpu: adapters, devices, pipelines. A blank import of package register does
// the same for programs that import their backends:
//
//	import _ "github.com/pumice-gpu/pumice/webgpu/register"
//
// # What there is
//
// Buffers, textures with their views, samplers, bind groups with dynamic offsets, render and
// compute pipelines, render bundles, copies, indirect draws and dispatches, up to 64 samples a
// pixel. Shaders are WGSL, which package shader of Pumice compiles, or SPIR-V.
//
// Surfaces, query sets and push constants are missing; what asks for them gets an *Error. Work runs
// while Queue.Submit waits for it, so that errors of shaders and memory are those of the submission
// that has them.
package webgpu
