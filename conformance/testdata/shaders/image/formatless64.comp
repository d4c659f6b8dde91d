#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_image_int64 : require
#extension GL_EXT_shader_image_load_formatted : require
// Storage images of 64 bits without a format in the shader: that of the view counts.
//! image 0 2 1 r64ui u64 0xF0F0F0F0F0F0F0F0 7
//! imageout 0 2 1 r64ui u64 8 0xF0F0F0F0F0F0F0F1
//! image 1 2 1 r64i i64 -5 9223372036854775807
//! imageout 1 2 1 r64i i64 -9223372036854775808 -4
//! out 2 u64 0xF0F0F0F0F0F0F0F0 0 0 1
layout(local_size_x = 1) in;
layout(binding = 0) uniform u64image2D u;
layout(binding = 1) uniform i64image2D s;
layout(std430, binding = 2) writeonly buffer O { uint64_t o[]; };
void main() {
	u64vec4 a = imageLoad(u, ivec2(0, 0));
	uint64_t b = imageLoad(u, ivec2(1, 0)).x;
	int64_t c = imageLoad(s, ivec2(0, 0)).x;
	int64_t d = imageLoad(s, ivec2(1, 0)).x;
	o[0] = a.x;
	o[1] = a.y;
	o[2] = a.z;
	o[3] = a.w;
	imageStore(u, ivec2(0, 0), u64vec4(b + 1ul, 9, 9, 9));
	imageStore(u, ivec2(1, 0), u64vec4(a.x + 1ul, 9, 9, 9));
	imageStore(s, ivec2(0, 0), i64vec4(d + 1l, 9, 9, 9));
	imageStore(s, ivec2(1, 0), i64vec4(c + 1l, 9, 9, 9));
}
