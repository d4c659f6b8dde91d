#version 460
// Division: correctly rounded, infinities for zero divisors.
//! in 0 f32 0x3f800000 0xc0f00000 0x40000000 0x60ad78ec 0x00000000
//! in 1 f32 0x40400000 0x40200000 0x80000000 0x40e00000 0x40a00000
//! out 2 f32 0x3eaaaaab 0xc0400000 0xff800000 0x5f46410e 0x00000000
layout(local_size_x = 5) in;
layout(std430, binding = 0) readonly buffer B0 { float a[]; };
layout(std430, binding = 1) readonly buffer B1 { float b[]; };
layout(std430, binding = 2) writeonly buffer B2 { float quotient[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	quotient[i] = a[i] / b[i];
}
