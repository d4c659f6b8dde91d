#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
// Integers of 16 bits: arithmetic wraps, shifts, comparisons, conversions.
//! in 0 i16 30000 -32768 7 -1
//! in 1 i16 100 3 3 2
//! out 2 i16 30100 -32765 10 1
//! out 3 i16 29900 32765 4 -3
//! out 4 i16 -14656 -32768 21 -2
//! out 5 i16 300 -10922 2 0
//! out 6 u16 15000 16384 3 32767
//! out 7 i16 15000 -16384 3 -1
//! out 8 u32 0 1 0 1
//! out 9 i32 30000 -32768 7 -1
//! out 10 f32 0x46ea6000 0xc7000000 0x40e00000 0xbf800000
//! out 11 i16 5 -6 127 -128
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer B0 { int16_t a[]; };
layout(std430, binding = 1) readonly buffer B1 { int16_t b[]; };
layout(std430, binding = 2) writeonly buffer B2 { int16_t add[]; };
layout(std430, binding = 3) writeonly buffer B3 { int16_t sub[]; };
layout(std430, binding = 4) writeonly buffer B4 { int16_t mul[]; };
layout(std430, binding = 5) writeonly buffer B5 { int16_t quotient[]; };
layout(std430, binding = 6) writeonly buffer B6 { uint16_t right[]; };
layout(std430, binding = 7) writeonly buffer B7 { int16_t arithmetic[]; };
layout(std430, binding = 8) writeonly buffer B8 { uint less[]; };
layout(std430, binding = 9) writeonly buffer B9 { int asInt[]; };
layout(std430, binding = 10) writeonly buffer B10 { float asFloat[]; };
layout(std430, binding = 11) writeonly buffer B11 { int16_t back[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	add[i] = a[i] + b[i];
	sub[i] = a[i] - b[i];
	mul[i] = a[i] * b[i];
	quotient[i] = a[i] / b[i];
	right[i] = uint16_t(a[i]) >> uint16_t(1);
	arithmetic[i] = a[i] >> int16_t(1);
	less[i] = uint(a[i] < b[i]);
	asInt[i] = int(a[i]);
	asFloat[i] = float(a[i]);
	back[i] = int16_t(float[4](5, -6, 127, -128)[i]);
}
