#version 460
#extension GL_EXT_mesh_shader : require
layout(location = 0) in vec4 shade;
layout(location = 1) perprimitiveEXT flat in uint mark;
layout(location = 2) flat in uint corner;
layout(location = 0) out vec4 color;
void main() {
	color = vec4(shade.rgb * 0.5 + 0.5 * fract(float(mark + corner) * 0.1), 0.2 + 0.8 * fract(float(gl_PrimitiveID) / 16.0));
}
