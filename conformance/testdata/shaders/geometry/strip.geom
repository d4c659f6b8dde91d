#version 460
// A triangle becomes a strip of two that covers the left column, and a second primitive that covers the pixel
// at the lower right, with another colour.
layout(triangles) in;
layout(triangle_strip, max_vertices = 7) out;
layout(location = 0) in vec2 pixel[];
layout(location = 0) flat out vec4 color;
void vertex(vec2 at, vec4 c) {
	color = c + vec4(0, pixel[0].x, 0, 0);
	gl_Position = vec4(at, 0, 1);
	EmitVertex();
}
void main() {
	vertex(vec2(-1, -1), vec4(1, 0, 0, 1));
	vertex(vec2(0, -1), vec4(1, 0, 0, 1));
	vertex(vec2(-1, 1), vec4(1, 0, 0, 1));
	vertex(vec2(0, 1), vec4(1, 0, 0, 1));
	EndPrimitive();
	vertex(vec2(0, 0), vec4(2, 0, 0, 1));
	vertex(vec2(2, 0), vec4(2, 0, 0, 1));
	vertex(vec2(0, 2), vec4(2, 0, 0, 1));
	EndPrimitive();
}
