#version 460
// OpFMod takes the sign of the second operand.
//! in 0 f32 0x40f00000 0xc0f00000 0x40f00000 0xc0f00000 0x3f000000 0x40c00000
//! in 1 f32 0x40000000 0x40000000 0xc0000000 0xc0000000 0x40000000 0x40400000
//! out 2 f32 0x3fc00000 0x3f000000 0xbf000000 0xbfc00000 0x3f000000 0x00000000
layout(local_size_x = 6) in;
layout(std430, binding = 0) readonly buffer B0 { float a[]; };
layout(std430, binding = 1) readonly buffer B1 { float b[]; };
layout(std430, binding = 2) writeonly buffer B2 { float rest[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	rest[i] = mod(a[i], b[i]);
}
