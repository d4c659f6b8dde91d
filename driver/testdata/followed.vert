#version 450

// A quad over the left half of the shadow map, of depth 0.25.

const vec2 corners[6] = vec2[](vec2(0, 0), vec2(1, 0), vec2(0, 1), vec2(0, 1), vec2(1, 0), vec2(1, 1));

void main() {
	vec2 at = corners[gl_VertexIndex];
	gl_Position = vec4(at.x - 1, at.y * 2 - 1, 0.25, 1);
}
