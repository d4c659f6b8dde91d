#version 460
// All atomics on integers, on storage buffers, in an order that does not matter.
//! in 0 u32 10 0xff 0x0f 0xf0 5 5 100 77
//! out 0 u32 46 0x18 0xff 0xf7 0 8 42 77
//! in 1 i32 -3 4
//! out 1 i32 -8 7
//! out 2 u32 77 77 77 77 77 77 77 77
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer A { uint a[8]; };
layout(std430, binding = 1) buffer B { int b[2]; };
layout(std430, binding = 2) writeonly buffer O { uint o[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	atomicAdd(a[0], i + 1);
	atomicAnd(a[1], ~(1u << i) | 0x18u);
	atomicOr(a[2], 16u << (i & 3u));
	if (i < 3)
		atomicXor(a[3], 1u << i);
	atomicMin(a[4], i);
	atomicMax(a[5], i + 1);
	if (i == 3)
		atomicExchange(a[6], 42u);
	o[i] = atomicCompSwap(a[7], 78u, 1u);
	atomicMin(b[0], -int(i) - 1);
	atomicMax(b[1], int(i));
}
