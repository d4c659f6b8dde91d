#version 450
// 508 components besides the position: of vertex v, component c is 8 c + v where it is flat, and else 8 c.
layout(location = 0) flat out vec4 first;
layout(location = 1) out vec4 rest[126];
void main() {
	gl_Position = vec4(vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2) * 2.0 - 1.0, 0.5, 1.0);
	first = 8.0 * vec4(0, 1, 2, 3) + gl_VertexIndex;
	for (int i = 0; i < 126; i++) rest[i] = 8.0 * (4.0 * (i + 1) + vec4(0, 1, 2, 3));
}
