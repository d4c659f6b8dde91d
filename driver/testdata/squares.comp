#version 450

// A grid of 8 by 8 squares: 6 vertices each, of a position and a colour.

layout(local_size_x = 64) in;

struct Vertex { vec2 position; vec2 pad; vec4 color; };
layout(set = 0, binding = 0) buffer Vertices { Vertex vertices[]; };

const vec2 corners[6] = vec2[](vec2(0, 0), vec2(1, 0), vec2(0, 1), vec2(0, 1), vec2(1, 0), vec2(1, 1));

void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i >= 64)
		return;
	vec2 cell = vec2(i % 8, i / 8);
	for (uint n = 0; n < 6; n++)
		vertices[i * 6 + n] = Vertex((cell + corners[n]) / 4 - 1, vec2(0), vec4(cell / 7, float((i + i / 8) & 1), 1));
}
