#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Attributes of 64 bits: those of more than two components take two locations. Vertex i has k + i + 1/3 in component k.
layout(location = 0) in double a;
layout(location = 1) in dvec2 b;
layout(location = 2) in dvec4 c;
layout(location = 4) in dvec3 d;
layout(location = 6) in i64vec2 e;
layout(location = 0) out vec3 color;
void main() {
	double i = double(gl_VertexIndex) + 1.0LF / 3;
	color = vec3(
		a == i && b == dvec2(1, 2) + i,
		c == dvec4(3, 4, 5, 6) + i && d == dvec3(7, 8, 9) + i,
		e == i64vec2(-(1L << 40) - gl_VertexIndex, 3));
	gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);
}
