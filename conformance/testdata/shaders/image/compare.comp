#version 460
// Comparison with a depth image: 1 where the reference is less than the texel; a linear filter counts.
//! image 0 2 2 d32 f32 0.1 0.5 0.5 0.9
//! sampler 0 linear less
//! out 1 f32 0 0.75 0.25 0.75 1 1 1 0 0.75
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2DShadow s;
layout(std430, binding = 1) writeonly buffer O { float o[]; };
void main() {
	o[0] = textureLod(s, vec3(0.25, 0.25, 0.2), 0.0);
	o[1] = textureLod(s, vec3(0.5, 0.5, 0.3), 0.0);
	o[2] = textureLod(s, vec3(0.5, 0.5, 0.7), 0.0);
	o[3] = textureProjLod(s, vec4(1, 1, 0.6, 2), 0.0);
	vec4 g = textureGather(s, vec2(0.5, 0.5), 0.3);
	o[4] = g.x;
	o[5] = g.y;
	o[6] = g.z;
	o[7] = g.w;
	o[8] = textureGrad(s, vec3(0.5, 0.5, 0.3), vec2(0), vec2(0));
}
