#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_image_int64 : require
// Storage images of 64 bits: loads, stores and every atomic; texels outside read zero and are not written.
//! image 0 4 2 r64ui u64 4294967295 0xF0F0F0F0F0F0F0F0 0xFFFFFFFF00000000 7 1 2 0xFFFFFFFFFFFFFFFE 40
//! imageout 0 4 2 r64ui u64 4294967297 0xF0F0F0F0F0F0F0FF 0x0F00000000000000 0xFFFFFFFFFFFFFFF8 1234567890123 18446744073709551615 5 99
//! image 1 2 2 r64i i64 -5 9223372036854775807 -9223372036854775808 3
//! imageout 1 2 2 r64i i64 -4294967296 9223372036854775807 -1 -9223372036854775807
//! out 2 u64 4294967295 0xF0F0F0F0F0F0F0F0 0xFFFFFFFF00000000 7 1 2 0xFFFFFFFFFFFFFFFE 40 0 1 0 0
//! out 3 i64 -5 9223372036854775807 -9223372036854775808 3 9223372036854775807 0 0 1
layout(local_size_x = 1) in;
layout(binding = 0, r64ui) uniform u64image2D u;
layout(binding = 1, r64i) uniform i64image2D s;
layout(std430, binding = 2) writeonly buffer O { uint64_t o[]; };
layout(std430, binding = 3) writeonly buffer P { int64_t p[]; };
void main() {
	o[0] = imageAtomicAdd(u, ivec2(0, 0), uint64_t(2));
	o[1] = imageAtomicOr(u, ivec2(1, 0), uint64_t(0x0F));
	o[2] = imageAtomicAnd(u, ivec2(2, 0), 0x0F00000000000001ul);
	o[3] = imageAtomicXor(u, ivec2(3, 0), ~uint64_t(0));
	o[4] = imageAtomicExchange(u, ivec2(0, 1), 1234567890123ul);
	o[5] = imageAtomicMax(u, ivec2(1, 1), ~uint64_t(0));
	o[6] = imageAtomicMin(u, ivec2(2, 1), uint64_t(5));
	o[7] = imageAtomicCompSwap(u, ivec2(3, 1), uint64_t(40), uint64_t(99));
	u64vec4 outside = imageLoad(u, ivec2(4, 0));
	o[8] = outside.x;
	o[9] = outside.w;
	o[10] = imageAtomicAdd(u, ivec2(-1, 0), uint64_t(1));
	imageStore(u, ivec2(0, 2), u64vec4(77));
	o[11] = imageAtomicCompSwap(s, ivec2(1, 0), int64_t(1), int64_t(2)) == 9223372036854775807l ? 0ul : 1ul;
	p[0] = imageAtomicMin(s, ivec2(0, 0), int64_t(-4294967296l));
	p[1] = imageAtomicMax(s, ivec2(1, 0), int64_t(-1));
	p[2] = imageAtomicMax(s, ivec2(0, 1), int64_t(-1));
	p[3] = imageLoad(s, ivec2(1, 1)).x;
	i64vec4 t = imageLoad(s, ivec2(1, 0));
	p[4] = t.x;
	p[5] = t.y;
	p[6] = t.z;
	p[7] = t.w;
	imageStore(s, ivec2(1, 1), i64vec4(-9223372036854775807l, 1, 2, 3));
}
