// Package shader compiles WGSL and GLSL to SPIR-V, in pure Go: the compilers are
// naga (WGSL) and glslang (GLSL 140 to 460, ES 310 and 320, all stages), as WebAssembly that wazero
// runs inside the process. What it makes goes into pumice.Shader.Code.
//
//	code, err := shader.Compile(ctx, source, shader.Options{Name: "triangle.wgsl"})
//
// The compilers see the source and nothing else: no files, no clock, no network. Memory, time
// and the source's size are bounded (Config), so sources of strangers are taken;
// whatever is wrong with one is an *Error that tells file, line and column.
//
// The first use of a language translates its compiler to machine code, which takes about a
// second and is kept in the user's cache folder; so are results. docs/shaders-as-written.md has
// times and limits. Programs that do not import this package hold none of it.
package shader
