#version 450
layout(location = 0) in vec4 nothing;
void main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1) + nothing; }
