#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Integers of 64 bits: arithmetic wraps, shifts, comparisons, conversions.
//! in 0 i64 4611686018427387904 -9223372036854775808 7 -1
//! in 1 i64 4611686018427387904 3 3 2
//! out 2 i64 -9223372036854775808 -9223372036854775805 10 1
//! out 3 i64 0 9223372036854775805 4 -3
//! out 4 i64 0 -9223372036854775808 21 -2
//! out 5 i64 1 -3074457345618258602 2 0
//! out 6 u64 2305843009213693952 4611686018427387904 3 9223372036854775807
//! out 7 i64 2305843009213693952 -4611686018427387904 3 -1
//! out 8 u32 0 1 0 1
//! out 9 i32 0 0 7 -1
//! out 10 f32 0x5e800000 0xdf000000 0x40e00000 0xbf800000
//! out 11 i64 5 -6 127 -128
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer B0 { int64_t a[]; };
layout(std430, binding = 1) readonly buffer B1 { int64_t b[]; };
layout(std430, binding = 2) writeonly buffer B2 { int64_t add[]; };
layout(std430, binding = 3) writeonly buffer B3 { int64_t sub[]; };
layout(std430, binding = 4) writeonly buffer B4 { int64_t mul[]; };
layout(std430, binding = 5) writeonly buffer B5 { int64_t quotient[]; };
layout(std430, binding = 6) writeonly buffer B6 { uint64_t right[]; };
layout(std430, binding = 7) writeonly buffer B7 { int64_t arithmetic[]; };
layout(std430, binding = 8) writeonly buffer B8 { uint less[]; };
layout(std430, binding = 9) writeonly buffer B9 { int asInt[]; };
layout(std430, binding = 10) writeonly buffer B10 { float asFloat[]; };
layout(std430, binding = 11) writeonly buffer B11 { int64_t back[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	add[i] = a[i] + b[i];
	sub[i] = a[i] - b[i];
	mul[i] = a[i] * b[i];
	quotient[i] = a[i] / b[i];
	right[i] = uint64_t(a[i]) >> uint64_t(1);
	arithmetic[i] = a[i] >> int64_t(1);
	less[i] = uint(a[i] < b[i]);
	asInt[i] = int(a[i]);
	asFloat[i] = float(a[i]);
	back[i] = int64_t(float[4](5, -6, 127, -128)[i]);
}
