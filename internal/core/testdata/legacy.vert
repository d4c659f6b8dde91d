#version 450
layout(location = 0) in uint word;
layout(location = 1) in int byte;
layout(location = 0) flat out uint value;
void main() {
	gl_Position = vec4(gl_VertexIndex % 3 == 1 ? 3 : -1, gl_VertexIndex % 3 == 2 ? 3 : -1, 0, 1);
	value = word + uint(byte) * 0x1000000u;
}
