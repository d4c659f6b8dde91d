#version 460
// Bitwise operations and shifts; signed shifts to the right keep the sign.
//! in 0 u32 4042322160 305419896 0 4294967295
//! in 1 u32 4 31 0 1
//! out 2 u32 0 24 0 1
//! out 3 u32 4042322164 305419903 0 4294967295
//! out 4 u32 4042322164 305419879 0 4294967294
//! out 5 u32 252645135 3989547399 4294967295 0
//! out 6 u32 252645120 0 0 4294967294
//! out 7 u32 252645135 0 0 2147483647
//! out 8 i32 -15790321 0 0 -1
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer B0 { uint a[]; };
layout(std430, binding = 1) readonly buffer B1 { uint b[]; };
layout(std430, binding = 2) writeonly buffer B2 { uint conjunction[]; };
layout(std430, binding = 3) writeonly buffer B3 { uint disjunction[]; };
layout(std430, binding = 4) writeonly buffer B4 { uint difference[]; };
layout(std430, binding = 5) writeonly buffer B5 { uint complement[]; };
layout(std430, binding = 6) writeonly buffer B6 { uint left[]; };
layout(std430, binding = 7) writeonly buffer B7 { uint right[]; };
layout(std430, binding = 8) writeonly buffer B8 { int arithmetic[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	conjunction[i] = a[i] & b[i];
	disjunction[i] = a[i] | b[i];
	difference[i] = a[i] ^ b[i];
	complement[i] = ~a[i];
	left[i] = a[i] << b[i];
	right[i] = a[i] >> b[i];
	arithmetic[i] = int(a[i]) >> b[i];
}
