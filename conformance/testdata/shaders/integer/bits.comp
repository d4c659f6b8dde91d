#version 460
// Bit fields, counts and positions.
//! in 0 u32 4042322160 305419896 0 4294967295 1 2147483648
//! in 1 u32 4 8 0 16 0 3
//! out 2 u32 252645135 510274632 0 4294967295 2147483648 1
//! out 3 i32 16 13 0 32 1 1
//! out 4 i32 4 3 -1 0 0 31
//! out 5 i32 31 28 -1 31 0 31
//! out 6 i32 27 28 -1 -1 0 30
//! out 7 u32 15 86 0 255 1 0
//! out 8 i32 15 86 0 -1 1 0
//! out 9 u32 4042323360 305420920 90 4284153855 90 2147484368
layout(local_size_x = 6) in;
layout(std430, binding = 0) readonly buffer B0 { uint a[]; };
layout(std430, binding = 1) readonly buffer B1 { uint b[]; };
layout(std430, binding = 2) writeonly buffer B2 { uint turned[]; };
layout(std430, binding = 3) writeonly buffer B3 { int ones[]; };
layout(std430, binding = 4) writeonly buffer B4 { int lowest[]; };
layout(std430, binding = 5) writeonly buffer B5 { int highest[]; };
layout(std430, binding = 6) writeonly buffer B6 { int highestSigned[]; };
layout(std430, binding = 7) writeonly buffer B7 { uint taken[]; };
layout(std430, binding = 8) writeonly buffer B8 { int takenSigned[]; };
layout(std430, binding = 9) writeonly buffer B9 { uint inserted[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	turned[i] = bitfieldReverse(a[i]);
	ones[i] = bitCount(a[i]);
	lowest[i] = findLSB(a[i]);
	highest[i] = findMSB(a[i]);
	highestSigned[i] = findMSB(int(a[i]));
	taken[i] = bitfieldExtract(a[i], int(b[i]), 8);
	takenSigned[i] = bitfieldExtract(int(a[i]), int(b[i]), 8);
	inserted[i] = bitfieldInsert(a[i], 0x5Au, int(b[i]), 8);
}
