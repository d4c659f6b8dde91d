#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
// The bits of inputs of every type that is not interpolated, and the number of the primitive.
layout(location = 0) flat in ivec4 signed4;
layout(location = 1) flat in uvec4 unsigned4;
layout(location = 2) flat in dvec2 double2;
layout(location = 3) flat in i64vec2 long2;
layout(location = 4) flat in u64vec2 ulong2;
layout(location = 5) flat in dvec4 double4;
layout(location = 7) flat in u16vec4 short4;
layout(location = 8) flat in int list[3];
layout(location = 0) out uvec4 color[8];
void main() {
	color[0] = uvec4(signed4);
	color[1] = unsigned4;
	color[2] = uvec4(unpackDouble2x32(double2.x), unpackDouble2x32(double2.y));
	color[3] = uvec4(unpackUint2x32(uint64_t(long2.x)), unpackUint2x32(uint64_t(long2.y)));
	color[4] = uvec4(unpackUint2x32(ulong2.x), unpackUint2x32(ulong2.y));
	color[5] = uvec4(unpackDouble2x32(double4.y), unpackDouble2x32(double4.x)) ^ uvec4(unpackDouble2x32(double4.z), unpackDouble2x32(double4.w)) ^ unsigned4;
	color[6] = uvec4(short4);
	color[7] = uvec4(list[2], list[1], list[0], gl_PrimitiveID + 1);
}
