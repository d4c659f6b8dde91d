#version 450
#extension GL_AMD_shader_explicit_vertex_parameter : require
layout(location = 0) __explicitInterpAMD out vec2 a;
layout(location = 1) out float smoothed;
layout(location = 2) noperspective out float straight;
void main() {
	gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4 - 1, 0, 1) * float(1 + gl_VertexIndex);
	a = vec2(gl_VertexIndex, 10 - 2 * gl_VertexIndex);
	smoothed = straight = 10 - 2 * gl_VertexIndex;
}
