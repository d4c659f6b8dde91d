#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
// A denormal of 32 bits is compared with what its 16 bits are as zero; two of 32 bits are compared as they are.
// 5.9604645e-08 is the smallest number of 16 bits, which is none of the denormals of 32.
//! in 0 u32 0x00000001 0x807fffff 0x33800000 0x3f800000 0 0x7fc00000
//! out 1 u32 9 9 9 9 9 2
//! out 2 u32 1 1 1 1 1 0
//! out 3 u32 0 0 0 0 1 0
layout(local_size_x = 6) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer B { uint equal[]; };
layout(std430, binding = 2) writeonly buffer C { uint vectors[]; };
layout(std430, binding = 3) writeonly buffer D { uint zero[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	float16_t h = float16_t(a[i]);
	float one = a[i];
	equal[i] = uint(float(h) == one) + 2 * uint(float(h) != one) + 4 * uint(one < float(h)) + 8 * uint(one >= float(h));
	vectors[i] = uint(vec2(f16vec2(h)) == vec2(one, one));
	zero[i] = uint(one == 0.0);
}
