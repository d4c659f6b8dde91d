#version 460
// The fraction and the whole have the sign of the number, of zeros and infinities, too.
//! in 0 f32 0x80000000 0 2.5 -2.5 -3 3 0x7f800000 0xff800000
//! out 1 u32 0x80000000 0 0x3f000000 0xbf000000 0x80000000 0 0 0x80000000
//! out 2 u32 0x80000000 0 0x40000000 0xc0000000 0xc0400000 0x40400000 0x7f800000 0xff800000
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer B { float frac[]; };
layout(std430, binding = 2) writeonly buffer C { float whole[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	float w;
	frac[i] = modf(a[i], w);
	whole[i] = w;
}
