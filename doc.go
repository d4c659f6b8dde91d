// Package pumice is Vulkan without a GPU: rasterizer, texture unit and shader
// execution in pure Go, with Vulkan's names, state and rules and without its
// ceremony.
//
// Open gives a Device. It makes the objects that Vulkan has (buffers, images,
// views, samplers, shader modules, descriptor sets, pipelines, command
// buffers); their descriptions are plain structs whose zero fields are sensible
// defaults. Memory, image layouts, barriers, descriptor-set and pipeline layouts
// are automatic unless asked for. Shaders are SPIR-V.
//
// A CommandBuffer records; Device.Submit runs. Recording never fails on the
// spot: the first misuse sticks to the command buffer and Submit returns it.
// Every misuse is an *Error that names the Vulkan rule it breaks; nothing
// panics. The same commands give the same bytes on every CPU, with any number of
// threads.
//
// Handles that are nil, zero or closed, and objects of another device, are such misuse; so the error
// of a call that makes an object may be left to the commands that use it. Config.Debug hears of
// errors as they happen, and of what is no error and draws nothing: vertices beyond their buffer, push
// constants that nothing has set, pipelines without outputs.
//
// # Where to begin
//
// ExampleOpen draws a triangle, Example (Cube) a textured cube with depth and four samples a pixel,
// and Example (Compute) runs a compute shader. Package gltf/studio renders models, golden compares
// pictures in tests.
//
// # Concurrency
//
// Device, Queue and all objects that a Device makes are safe for concurrent
// use, except that one goroutine at a time may record into a CommandBuffer and
// its Passes. Work runs in the order of submission. Writes and reads by the host
// (Buffer.Write, Image.Write, Buffer.Read, Image.Read and their kin) take their
// place in that order too: they see everything submitted before.
//
// # Lifetime
//
// An object lives until its Close or its Device's Close. Closing an object that
// submitted work still uses is allowed: its memory goes when that work is done.
// Using an object afterwards is an error, ErrClosed.
package pumice
