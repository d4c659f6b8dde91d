#version 450
#extension GL_EXT_fragment_shader_barycentric : require
// The weights of the primitive's vertices, with perspective and without, here and at an offset.
layout(location = 0) out vec4 color[4];
void main() {
	color[0] = vec4(gl_BaryCoordEXT, 1);
	color[1] = vec4(gl_BaryCoordNoPerspEXT, 1);
	color[2] = vec4(interpolateAtOffset(gl_BaryCoordEXT, vec2(.25, -.125)), 1);
	color[3] = vec4(interpolateAtOffset(gl_BaryCoordNoPerspEXT, vec2(.25, -.125)), 1);
}
