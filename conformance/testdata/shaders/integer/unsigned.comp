#version 460
// Unsigned arithmetic.
//! in 0 u32 7 4294967295 0 1 123456789 4294967295 65536 2147483648
//! in 1 u32 3 1 5 4294967295 1000 4294967295 65536 2
//! out 2 u32 10 0 5 0 123457789 4294967294 131072 2147483650
//! out 3 u32 4 4294967294 4294967291 2 123455789 0 0 2147483646
//! out 4 u32 21 4294967295 0 4294967295 3197704712 1 0 0
//! out 5 u32 2 4294967295 0 0 123456 1 1 1073741824
//! out 6 u32 1 0 0 1 789 0 0 0
//! out 7 u32 3 1 0 1 1000 4294967295 65536 2
//! out 8 u32 7 4294967295 5 4294967295 123456789 4294967295 65536 2147483648
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer B0 { uint a[]; };
layout(std430, binding = 1) readonly buffer B1 { uint b[]; };
layout(std430, binding = 2) writeonly buffer B2 { uint add[]; };
layout(std430, binding = 3) writeonly buffer B3 { uint sub[]; };
layout(std430, binding = 4) writeonly buffer B4 { uint mul[]; };
layout(std430, binding = 5) writeonly buffer B5 { uint quotient[]; };
layout(std430, binding = 6) writeonly buffer B6 { uint rest[]; };
layout(std430, binding = 7) writeonly buffer B7 { uint low[]; };
layout(std430, binding = 8) writeonly buffer B8 { uint high[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	add[i] = a[i] + b[i];
	sub[i] = a[i] - b[i];
	mul[i] = a[i] * b[i];
	quotient[i] = a[i] / b[i];
	rest[i] = a[i] % b[i];
	low[i] = min(a[i], b[i]);
	high[i] = max(a[i], b[i]);
}
