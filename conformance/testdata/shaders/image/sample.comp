#version 460
// Sampling with the coordinate's level: nearest texels, the middle of four, projection, offsets, gradients, fetches, sizes.
//! image 0 2 2 rgba32f f32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
//! sampler 0 linear
//! out 1 f32 1 2 3 4 7 8 9 10 7 8 9 10 5 6 7 8 9 10 11 12 13 14 15 16 2 2 1 1 7 8 9 10 1 5 13 9 5 6 7 8 7 8 9 10
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D s;
layout(std430, binding = 1) writeonly buffer O { vec4 o[]; };
void main() {
	o[0] = textureLod(s, vec2(0.25, 0.25), 0.0);
	o[1] = textureLod(s, vec2(0.5, 0.5), 0.0);
	o[2] = textureProjLod(s, vec3(1, 1, 2), 0.0);
	o[3] = textureLodOffset(s, vec2(0.25, 0.25), 0.0, ivec2(1, 0));
	o[4] = textureGrad(s, vec2(0.25, 0.75), vec2(0), vec2(0));
	o[5] = texelFetch(s, ivec2(1, 1), 0);
	o[6] = vec4(textureSize(s, 0), textureQueryLevels(s), 1);
	o[7] = textureProjGrad(s, vec3(1, 1, 2), vec2(0), vec2(0));
	o[8] = textureGather(s, vec2(0.5, 0.5)).wzyx.xyzw;
	o[9] = texelFetchOffset(s, ivec2(0, 0), 0, ivec2(1, 0));
	o[10] = textureLodOffset(s, vec2(0.5, 0.5), 0.0, ivec2(0, 0));
}
