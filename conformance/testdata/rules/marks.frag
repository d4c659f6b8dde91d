#version 460
#extension GL_EXT_mesh_shader : require
layout(location = 0) perprimitiveEXT in vec2 mark;
layout(location = 1) perprimitiveEXT flat in uint number;
layout(location = 2) in float corner;
layout(location = 0) out vec4 color[2];
void main() {
	color[0] = vec4(mark, number, gl_PrimitiveID);
	color[1] = vec4(gl_Layer, gl_ViewportIndex, corner, 1);
}
