#version 450
// The names of VK_NV_fragment_shader_barycentric. The centre of the pixel has the
// weights 1/2, 1/4 and 1/4.
//! size 1 1
//! color 0 f32 4 3 2 3.25
#extension GL_NV_fragment_shader_barycentric : require
layout(location = 0) pervertexNV in float value[];
layout(location = 0) out vec4 color;
void main() {
	vec3 b = (gl_BaryCoordNV + gl_BaryCoordNoPerspNV) / 2;
	color = vec4(value[0], value[1], value[2], dot(b, vec3(value[0], value[1], value[2])));
}
