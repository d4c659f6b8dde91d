#version 460
// Single operations are rounded to nearest even.
//! in 0 f32 0x3fc00000 0xc0100000 0x3dcccccd 0x7149f2ca 0x40400000 0x80000000 0x7f800000 0x40e00000
//! in 1 f32 0x40000000 0x3f000000 0x3e4ccccd 0x501502f9 0xc0400000 0x00000000 0x3f800000 0x40400000
//! out 2 f32 0x40600000 0xbfe00000 0x3e99999a 0x7149f2ca 0x00000000 0x00000000 0x7f800000 0x41200000
//! out 3 f32 0xbf000000 0xc0300000 0xbdcccccd 0x7149f2ca 0x40c00000 0x80000000 0x7f800000 0x40800000
//! out 4 f32 0x40400000 0xbf900000 0x3ca3d70b 0x7f800000 0xc1100000 0x80000000 0x7f800000 0x41a80000
//! out 5 f32 0xbfc00000 0x40100000 0xbdcccccd 0xf149f2ca 0xc0400000 0x00000000 0xff800000 0xc0e00000
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer B0 { float a[]; };
layout(std430, binding = 1) readonly buffer B1 { float b[]; };
layout(std430, binding = 2) writeonly buffer B2 { float add[]; };
layout(std430, binding = 3) writeonly buffer B3 { float sub[]; };
layout(std430, binding = 4) writeonly buffer B4 { float mul[]; };
layout(std430, binding = 5) writeonly buffer B5 { float minus[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	add[i] = a[i] + b[i];
	sub[i] = a[i] - b[i];
	mul[i] = a[i] * b[i];
	minus[i] = -a[i];
}
