#version 450
// Passes a triangle on, and captures all of it.
layout(triangles) in;
layout(triangle_strip, max_vertices = 8) out;
layout(location = 0) flat in vec4 first[];
layout(location = 1) in vec4 rest[][126];
layout(location = 0, xfb_buffer = 7, xfb_stride = 16, xfb_offset = 0) flat out vec4 firstOut;
layout(location = 1, xfb_buffer = 1, xfb_stride = 2016, xfb_offset = 0) out vec4 restOut[126];
void main() {
	for (int v = 0; v < 3; v++) {
		gl_Position = gl_in[v].gl_Position;
		firstOut = first[v];
		for (int i = 0; i < 126; i++) restOut[i] = rest[v][i];
		EmitVertex();
	}
}
