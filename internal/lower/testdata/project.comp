#version 450
// Projections: coordinates, and the reference, divided by the last component.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform sampler1D row;
layout(set = 0, binding = 1) uniform sampler2DShadow depth;
layout(set = 0, binding = 2, std430) buffer Out { float r[]; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	vec2 c = i == 0 ? vec2(2, 0) : i == 1 ? vec2(0, 0) : i == 2 ? vec2(-0.5, -1) : vec2(1, 4);
	vec4 d = i < 2 ? vec4(1, 1, 1.4, 2) : vec4(1, 1, 1.6, 2);
	r[2 * i] = textureProjLod(row, c, 0).r;
	r[2 * i + 1] = textureProjLod(depth, d, 0);
}
