#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#extension GL_KHR_memory_scope_semantics : require
// Atomics of binary16 in buffers and shared memory, in the order of the invocations; the halves beside stay as they are.
// 1 + 2^-11 rounds to even: it stays 1.
//! in 0 f16 0x3c00 0x3c00 0x5555 0x3c00 0xfc00 0x7c00 0x5555 0x4400
//! out 0 f16 0x4700 0x3c00 0x5555 0xbc00 0x4400 0x7c00 0x5555 0x4400
//! in 1 f16 0x3c00 0xbc00 0x4000 0x4400
//! out 2 f16 0x3c00 0x4000 0x3c00 0x4200
//! out 3 f16 0x0000 0x3c00 0x0000 0x4000
//! out 4 f16 0x4600 0x4600 0x4600 0x4600
//! out 5 f16 0x5555 0x3c00 0xbc00 0x4000
//! out 5 f16 0x4400
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer B0 { float16_t b[8]; };
layout(std430, binding = 1) buffer B1 { float16_t x[]; };
layout(std430, binding = 2) buffer B2 { float16_t sums[]; };
layout(std430, binding = 3) buffer B3 { float16_t shares[]; };
layout(std430, binding = 4) buffer B4 { float16_t total[]; };
layout(std430, binding = 5) buffer B5 { float16_t swapped[5]; };
shared float16_t s;
void main() {
	uint i = gl_LocalInvocationIndex;
	if (i == 0) {
		s = float16_t(0);
		swapped[4] = float16_t(0);
	}
	barrier();
	atomicAdd(b[0], float16_t(1.0 / 2048.0));
	sums[i] = atomicAdd(b[0], x[i]);
	atomicMin(b[3], x[i]);
	atomicMax(b[4], x[i]);
	atomicMin(b[5], float16_t(uint16BitsToFloat16(uint16_t(0x7c00))));
	shares[i] = atomicAdd(s, x[i]);
	barrier();
	total[i] = atomicLoad(s, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	float16_t old = atomicExchange(b[6], x[i]);
	swapped[i] = old;
	if (i == 3) swapped[4] = atomicExchange(b[6], uint16BitsToFloat16(uint16_t(0x5555)));
}
