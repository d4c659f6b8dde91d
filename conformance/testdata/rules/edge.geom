#version 450
// The first edge of each triangle, as a line.
layout(triangles) in;
layout(line_strip, max_vertices = 2) out;
layout(location = 0) in vec4 smoothly[];
layout(location = 0) out vec4 color;
void main() {
	for (int i = 0; i < 2; i++) {
		gl_Position = gl_in[i].gl_Position;
		color = smoothly[i];
		EmitVertex();
	}
}
