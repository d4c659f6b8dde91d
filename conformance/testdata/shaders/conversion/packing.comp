#version 460
// Packing and unpacking.
//! in 0 f32 0x3f000000 0xbf800000 0x3f800000
//! in 1 f32 0x3f800000 0x3e800000 0xbf000000
//! out 2 u32 1006647296 872463360 3087023104
//! out 3 u32 4294934528 1073741824 65535
//! out 4 u32 2147434496 536903681 3221258239
//! out 5 u32 4286644096 1073758208 16711935
//! out 6 f32 0x3f000000 0xbf800000 0x3f800000
layout(local_size_x = 3) in;
layout(std430, binding = 0) readonly buffer B0 { float a[]; };
layout(std430, binding = 1) readonly buffer B1 { float b[]; };
layout(std430, binding = 2) writeonly buffer B2 { uint halves[]; };
layout(std430, binding = 3) writeonly buffer B3 { uint unorm2[]; };
layout(std430, binding = 4) writeonly buffer B4 { uint snorm2[]; };
layout(std430, binding = 5) writeonly buffer B5 { uint unorm4[]; };
layout(std430, binding = 6) writeonly buffer B6 { float back[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	vec2 v = vec2(a[i], b[i]);
	halves[i] = packHalf2x16(v);
	unorm2[i] = packUnorm2x16(v);
	snorm2[i] = packSnorm2x16(v);
	unorm4[i] = packUnorm4x8(v.xyxy);
	back[i] = unpackHalf2x16(packHalf2x16(v)).x;
}
