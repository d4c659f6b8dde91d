#version 450
#extension GL_EXT_fragment_shader_barycentric : require
// The values of the primitive's vertices in their order, and the number of the primitive.
layout(location = 0) pervertexEXT in vec4 value[];
layout(location = 0) out vec4 color[4];
void main() {
	color[0] = value[0];
	color[1] = value[1];
	color[2] = value[2];
	color[3] = vec4(gl_PrimitiveID + 1, gl_BaryCoordEXT);
}
