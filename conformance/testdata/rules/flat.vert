#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
// The bits of a value, as inputs of every type that is not interpolated.
layout(constant_id = 0) const float size = 1.0;
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 value;
layout(location = 0) flat out ivec4 signed4;
layout(location = 1) flat out uvec4 unsigned4;
layout(location = 2) flat out dvec2 double2;
layout(location = 3) flat out i64vec2 long2;
layout(location = 4) flat out u64vec2 ulong2;
layout(location = 5) flat out dvec4 double4;
layout(location = 7) flat out u16vec4 short4;
layout(location = 8) flat out int list[3];
void main() {
	gl_Position = position;
	gl_PointSize = size;
	unsigned4 = floatBitsToUint(value);
	signed4 = ivec4(unsigned4);
	double2 = dvec2(packDouble2x32(unsigned4.xy), packDouble2x32(unsigned4.zw));
	ulong2 = u64vec2(packUint2x32(unsigned4.xy), packUint2x32(unsigned4.zw));
	long2 = i64vec2(ulong2);
	double4 = dvec4(double2.yx, double2);
	short4 = u16vec4(unsigned4);
	list[0] = signed4.w;
	list[1] = signed4.z;
	list[2] = signed4.y;
}
