#version 460
// Conversions between numbers; floats are cut towards zero.
//! in 0 f32 0x3ff33333 0xbff33333 0x00000000 0x4e6e6b28 0x437f8000
//! in 1 i32 5 -5 2147483647 -2147483648 0
//! in 2 u32 5 4294967295 2147483648 16777217 0
//! out 3 i32 1 -1 0 1000000000 255
//! out 4 u32 1 1 0 1000000000 255
//! out 5 f32 0x40a00000 0xc0a00000 0x4f000000 0xcf000000 0x00000000
//! out 6 f32 0x40a00000 0x4f800000 0x4f000000 0x4b800000 0x00000000
//! out 7 u32 1072902963 3220386611 0 1315859240 1132429312
//! out 8 u32 1 1 0 1 1
layout(local_size_x = 5) in;
layout(std430, binding = 0) readonly buffer B0 { float a[]; };
layout(std430, binding = 1) readonly buffer B1 { int b[]; };
layout(std430, binding = 2) readonly buffer B2 { uint c[]; };
layout(std430, binding = 3) writeonly buffer B3 { int toInt[]; };
layout(std430, binding = 4) writeonly buffer B4 { uint toUint[]; };
layout(std430, binding = 5) writeonly buffer B5 { float fromInt[]; };
layout(std430, binding = 6) writeonly buffer B6 { float fromUint[]; };
layout(std430, binding = 7) writeonly buffer B7 { uint bits[]; };
layout(std430, binding = 8) writeonly buffer B8 { uint truth[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	toInt[i] = int(a[i]);
	toUint[i] = uint(abs(a[i]));
	fromInt[i] = float(b[i]);
	fromUint[i] = float(c[i]);
	bits[i] = floatBitsToUint(a[i]);
	truth[i] = uint(bool(a[i]));
}
