#version 460
// binary64: single operations rounded to nearest even, conversions, roots.
//! in 0 f64 0x3ff8000000000000 0xc002000000000000 0x3fb999999999999a 0x6974e718d7d7625a
//! in 1 f64 0x4000000000000000 0x3fe0000000000000 0x3fc999999999999a 0x2b2bff2ee48e0530
//! out 2 f64 0x400c000000000000 0xbffc000000000000 0x3fd3333333333334 0x6974e718d7d7625a
//! out 3 f64 0x4008000000000000 0xbff2000000000000 0x3f947ae147ae147c 0x54b249ad2594c37d
//! out 4 f64 0x3fe8000000000000 0xc012000000000000 0x3fe0000000000000 0x7e37e43c8800759b
//! out 5 f64 0x3ff6a09e667f3bcd 0x3fe6a09e667f3bcd 0x3fdc9f25c5bfedd9 0x358dee7a4ad4b81f
//! out 6 f32 0x3fc00000 0xc0100000 0x3dcccccd 0x7f800000
//! out 7 f64 0x3fb99999a0000000 0x4000000000000000 0x4008000000000000 0x4010000000000000
//! out 8 u32 1 1 1 0
//! out 9 i32 1 -2 0 7
//! out 10 f64 0x3ff0000000000000 0xc008000000000000 0x0000000000000000 0x6974e718d7d7625a
//! out 11 f64 0x3ff0000000000001 0x3ff0000100000001 0x3ff0000200000001 0x3ff0000300000001
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer B0 { double a[]; };
layout(std430, binding = 1) readonly buffer B1 { double b[]; };
layout(std430, binding = 2) writeonly buffer B2 { double add[]; };
layout(std430, binding = 3) writeonly buffer B3 { double mul[]; };
layout(std430, binding = 4) writeonly buffer B4 { double quotient[]; };
layout(std430, binding = 5) writeonly buffer B5 { double root[]; };
layout(std430, binding = 6) writeonly buffer B6 { float narrow[]; };
layout(std430, binding = 7) writeonly buffer B7 { double wide[]; };
layout(std430, binding = 8) writeonly buffer B8 { uint less[]; };
layout(std430, binding = 9) writeonly buffer B9 { int asInt[]; };
layout(std430, binding = 10) writeonly buffer B10 { double down[]; };
layout(std430, binding = 11) writeonly buffer B11 { double packed[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	add[i] = a[i] + b[i];
	mul[i] = a[i] * b[i];
	quotient[i] = a[i] / b[i];
	root[i] = sqrt(b[i]);
	narrow[i] = float(a[i]);
	wide[i] = double(float[4](0.1, 2, 3, 4)[i]);
	less[i] = uint(a[i] < b[i]);
	asInt[i] = i < 3 ? int(a[i]) : 7;
	down[i] = floor(a[i]);
	packed[i] = packDouble2x32(uvec2(1, 0x3ff00000 + i));
}
