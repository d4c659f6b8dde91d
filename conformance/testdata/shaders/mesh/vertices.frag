#version 450
// The vertices of the primitive, and whether their values make what is interpolated.
//! size 2 1
//! color 0 f32 2 0 1 1 3 2 1 1
#extension GL_EXT_fragment_shader_barycentric : require
layout(location = 0) pervertexEXT in float value[];
layout(location = 0) out vec4 color;
void main() {
	float sum = value[0] * gl_BaryCoordEXT.x + value[1] * gl_BaryCoordEXT.y + value[2] * gl_BaryCoordEXT.z;
	// All w are 1 + value: 1 / w is linear, so that the interpolated value is w - 1.
	color = vec4(value[0], value[1], value[2], abs(sum - (1 / gl_FragCoord.w - 1)) < 1e-4);
}
