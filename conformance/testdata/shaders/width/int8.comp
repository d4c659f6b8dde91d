#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
// Integers of 8 bits: arithmetic wraps, shifts, comparisons, conversions.
//! in 0 i8 100 -128 7 -1
//! in 1 i8 100 3 3 2
//! out 2 i8 -56 -125 10 1
//! out 3 i8 0 125 4 -3
//! out 4 i8 16 -128 21 -2
//! out 5 i8 1 -42 2 0
//! out 6 u8 50 64 3 127
//! out 7 i8 50 -64 3 -1
//! out 8 u32 0 1 0 1
//! out 9 i32 100 -128 7 -1
//! out 10 f32 0x42c80000 0xc3000000 0x40e00000 0xbf800000
//! out 11 i8 5 -6 127 -128
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer B0 { int8_t a[]; };
layout(std430, binding = 1) readonly buffer B1 { int8_t b[]; };
layout(std430, binding = 2) writeonly buffer B2 { int8_t add[]; };
layout(std430, binding = 3) writeonly buffer B3 { int8_t sub[]; };
layout(std430, binding = 4) writeonly buffer B4 { int8_t mul[]; };
layout(std430, binding = 5) writeonly buffer B5 { int8_t quotient[]; };
layout(std430, binding = 6) writeonly buffer B6 { uint8_t right[]; };
layout(std430, binding = 7) writeonly buffer B7 { int8_t arithmetic[]; };
layout(std430, binding = 8) writeonly buffer B8 { uint less[]; };
layout(std430, binding = 9) writeonly buffer B9 { int asInt[]; };
layout(std430, binding = 10) writeonly buffer B10 { float asFloat[]; };
layout(std430, binding = 11) writeonly buffer B11 { int8_t back[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	add[i] = a[i] + b[i];
	sub[i] = a[i] - b[i];
	mul[i] = a[i] * b[i];
	quotient[i] = a[i] / b[i];
	right[i] = uint8_t(a[i]) >> uint8_t(1);
	arithmetic[i] = a[i] >> int8_t(1);
	less[i] = uint(a[i] < b[i]);
	asInt[i] = int(a[i]);
	asFloat[i] = float(a[i]);
	back[i] = int8_t(float[4](5, -6, 127, -128)[i]);
}
