#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
// Atomics on 64 bits and on floats.
//! in 0 u64 4294967295 5 0xF0F0F0F0F0F0F0F0 1
//! out 0 u64 4294967299 3 0xF0F0F0F0F0F0F0FF 99
//! in 1 f32 1.5 10 3
//! out 1 f32 3.5 3 4
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer A { uint64_t a[4]; };
layout(std430, binding = 1) buffer B { float b[3]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	atomicAdd(a[0], 1ul);
	atomicMin(a[1], uint64_t(i + 3));
	atomicOr(a[2], 0x0Ful);
	if (i == 0)
		atomicExchange(a[3], 99ul);
	atomicAdd(b[0], 0.5);
	atomicMin(b[1], float(i + 3));
	atomicMax(b[2], float(i + 1));
}
