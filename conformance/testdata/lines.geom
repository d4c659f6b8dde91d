#version 450
// The neighbours that a line or strip has: a line strip through all four.
layout(lines_adjacency) in;
layout(line_strip, max_vertices = 4) out;
layout(location = 0) in vec4 color[];
layout(location = 0) out vec4 shade;
layout(location = 1) flat out uint mark;
void main() {
	for (int i = 0; i < gl_in.length(); i++) {
		gl_Position = gl_in[i].gl_Position;
		shade = color[i];
		mark = uint(gl_PrimitiveIDIn + i);
		gl_PrimitiveID = gl_PrimitiveIDIn;
		EmitVertex();
	}
}
