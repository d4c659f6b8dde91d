#version 460
// The nearest binary32 of the exact result, but for exp of 10, which is 0.52 units off; powers of two are exact.
//! in 0 f32 0x3f800000 0x40000000 0x3f000000 0x41200000 0x406ccccd
//! out 1 f32 0x40000000 0x40800000 0x3fb504f3 0x44800000 0x414fefc6
//! out 2 f32 0x402df854 0x40ec7326 0x3fd3094c 0x46ac14ef 0x4221ca0b
//! out 3 f32 0x00000000 0x3f800000 0xbf800000 0x40549a78 0x3ff19a6e
//! out 4 f32 0x00000000 0x3f317218 0xbf317218 0x40135d8e 0x3fa77773
//! out 5 f32 0x3f800000 0x3fb504f3 0x3f3504f3 0x404a62c2 0x3ff63682
//! out 6 f32 0x3f800000 0x41000000 0x3e000000 0x447a0000 0x424a9cad
layout(local_size_x = 5) in;
layout(std430, binding = 0) readonly buffer B0 { float a[]; };
layout(std430, binding = 1) writeonly buffer B1 { float power2[]; };
layout(std430, binding = 2) writeonly buffer B2 { float power[]; };
layout(std430, binding = 3) writeonly buffer B3 { float logarithm2[]; };
layout(std430, binding = 4) writeonly buffer B4 { float logarithm[]; };
layout(std430, binding = 5) writeonly buffer B5 { float root[]; };
layout(std430, binding = 6) writeonly buffer B6 { float powered[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	power2[i] = exp2(a[i]);
	power[i] = exp(a[i]);
	logarithm2[i] = log2(a[i]);
	logarithm[i] = log(a[i]);
	root[i] = sqrt(a[i]);
	powered[i] = pow(a[i], 3.0);
}
