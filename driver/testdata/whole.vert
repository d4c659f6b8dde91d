#version 450

// A triangle over the whole picture.

void main() {
	gl_Position = vec4((gl_VertexIndex & 1) * 4 - 1, (gl_VertexIndex >> 1) * 4 - 1, 0.5, 1);
}
