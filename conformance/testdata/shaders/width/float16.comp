#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
// binary16: single operations rounded to nearest even, conversions.
//! in 0 f16 0x3e00 0xc080 0x2e66 0x63d0
//! in 1 f16 0x4000 0x3800 0x3266 0x4200
//! out 2 f16 0x4300 0xbf00 0x34cc 0x63d6
//! out 3 f16 0x4200 0xbc80 0x251e 0x69dc
//! out 4 f16 0x3a00 0xc480 0x3800 0x5d35
//! out 5 f32 0x3fc00000 0xc0100000 0x3dccc000 0x447a0000
//! out 6 u32 1 1 1 0
//! out 7 f16 0x34cd 0x7bff 0x0011 0xbc00
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer B0 { float16_t a[]; };
layout(std430, binding = 1) readonly buffer B1 { float16_t b[]; };
layout(std430, binding = 2) writeonly buffer B2 { float16_t add[]; };
layout(std430, binding = 3) writeonly buffer B3 { float16_t mul[]; };
layout(std430, binding = 4) writeonly buffer B4 { float16_t quotient[]; };
layout(std430, binding = 5) writeonly buffer B5 { float wide[]; };
layout(std430, binding = 6) writeonly buffer B6 { uint less[]; };
layout(std430, binding = 7) writeonly buffer B7 { float16_t fromWide[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	add[i] = a[i] + b[i];
	mul[i] = a[i] * b[i];
	quotient[i] = a[i] / b[i];
	wide[i] = float(a[i]);
	less[i] = uint(a[i] < b[i]);
	fromWide[i] = float16_t(float[4](0.3, 65504.0, 1e-6, -1.0)[i]);
}
