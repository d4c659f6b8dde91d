#version 450
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) out uint captured;
void main() {
	captured = gl_VertexIndex + 7;
	gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);
}
