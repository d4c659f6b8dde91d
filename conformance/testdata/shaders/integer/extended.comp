#version 460
// Results of two words: carries, borrows and products of 64 bits.
//! in 0 u32 4294967295 5 2147483648 305419896
//! in 1 u32 1 7 2147483648 2596069104
//! out 2 u32 0 12 0 2901489000
//! out 3 u32 1 0 1 0
//! out 4 u32 4294967294 4294967294 0 2004318088
//! out 5 u32 0 1 0 1
//! out 6 u32 0 0 1073741824 184609358
//! out 7 u32 4294967295 35 0 606937216
//! out 8 i32 -1 0 1073741824 -120810538
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer B0 { uint a[]; };
layout(std430, binding = 1) readonly buffer B1 { uint b[]; };
layout(std430, binding = 2) writeonly buffer B2 { uint sum[]; };
layout(std430, binding = 3) writeonly buffer B3 { uint carry[]; };
layout(std430, binding = 4) writeonly buffer B4 { uint diff[]; };
layout(std430, binding = 5) writeonly buffer B5 { uint borrow[]; };
layout(std430, binding = 6) writeonly buffer B6 { uint high[]; };
layout(std430, binding = 7) writeonly buffer B7 { uint low[]; };
layout(std430, binding = 8) writeonly buffer B8 { int signedHigh[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	uint c, d, h, l;
	sum[i] = uaddCarry(a[i], b[i], c);
	carry[i] = c;
	diff[i] = usubBorrow(a[i], b[i], d);
	borrow[i] = d;
	umulExtended(a[i], b[i], h, l);
	high[i] = h;
	low[i] = l;
	int sh, sl;
	imulExtended(int(a[i]), int(b[i]), sh, sl);
	signedHigh[i] = sh;
}
