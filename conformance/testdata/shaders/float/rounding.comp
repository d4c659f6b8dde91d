#version 460
// Functions that round, all exact.
//! in 0 f32 0x3f000000 0x3fc00000 0x40200000 0xbf000000 0xbfc00000 0x401ffe5d 0xc0300000 0x501502f9
//! out 1 f32 0x00000000 0x3f800000 0x40000000 0xbf800000 0xc0000000 0x40000000 0xc0400000 0x501502f9
//! out 2 f32 0x3f800000 0x40000000 0x40400000 0x80000000 0xbf800000 0x40400000 0xc0000000 0x501502f9
//! out 3 f32 0x00000000 0x3f800000 0x40000000 0x80000000 0xbf800000 0x40000000 0xc0000000 0x501502f9
//! out 4 f32 0x00000000 0x40000000 0x40000000 0x80000000 0xc0000000 0x40000000 0xc0400000 0x501502f9
//! out 5 f32 0x3f000000 0x3f000000 0x3f000000 0x3f000000 0x3f000000 0x3efff2e8 0x3e800000 0x00000000
//! out 6 f32 0x3f000000 0x3fc00000 0x40200000 0x3f000000 0x3fc00000 0x401ffe5d 0x40300000 0x501502f9
//! out 7 f32 0x3f800000 0x3f800000 0x3f800000 0xbf800000 0xbf800000 0x3f800000 0xbf800000 0x3f800000
//! out 8 f32 0x3f000000 0x3f800000 0x3f800000 0xbf000000 0xbfc00000 0x3f800000 0xc0300000 0x3f800000
//! out 9 f32 0x3f800000 0x3fc00000 0x40200000 0x3f800000 0x3f800000 0x401ffe5d 0x3f800000 0x501502f9
//! out 10 f32 0x3f000000 0x3f800000 0x3f800000 0xbf000000 0xbf800000 0x3f800000 0xbf800000 0x3f800000
//! out 11 f32 0x00000000 0x3f800000 0x3f800000 0x00000000 0x00000000 0x3f800000 0x00000000 0x3f800000
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer B0 { float a[]; };
layout(std430, binding = 1) writeonly buffer B1 { float down[]; };
layout(std430, binding = 2) writeonly buffer B2 { float up[]; };
layout(std430, binding = 3) writeonly buffer B3 { float cut[]; };
layout(std430, binding = 4) writeonly buffer B4 { float even[]; };
layout(std430, binding = 5) writeonly buffer B5 { float fraction[]; };
layout(std430, binding = 6) writeonly buffer B6 { float absolute[]; };
layout(std430, binding = 7) writeonly buffer B7 { float sgn[]; };
layout(std430, binding = 8) writeonly buffer B8 { float low[]; };
layout(std430, binding = 9) writeonly buffer B9 { float high[]; };
layout(std430, binding = 10) writeonly buffer B10 { float mid[]; };
layout(std430, binding = 11) writeonly buffer B11 { float unit[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	down[i] = floor(a[i]);
	up[i] = ceil(a[i]);
	cut[i] = trunc(a[i]);
	even[i] = roundEven(a[i]);
	fraction[i] = fract(a[i]);
	absolute[i] = abs(a[i]);
	sgn[i] = sign(a[i]);
	low[i] = min(a[i], 1.0);
	high[i] = max(a[i], 1.0);
	mid[i] = clamp(a[i], -1.0, 1.0);
	unit[i] = step(1.0, a[i]);
}
