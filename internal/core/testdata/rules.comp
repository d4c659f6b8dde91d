#version 450
// Instructions on images that may not fit them.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { float v[]; } outs;
layout(set = 0, binding = 1) uniform sampler2D plain;
layout(set = 0, binding = 2) uniform sampler2DShadow shadow;
layout(set = 0, binding = 3, rgba8) uniform image2D store;
layout(set = 0, binding = 4) uniform usampler2D whole;
void main() {
	outs.v[0] = textureLod(plain, vec2(0.5), 0.0).x;
	outs.v[1] = textureLod(shadow, vec3(0.5), 0.0);
	imageStore(store, ivec2(0), vec4(1));
	outs.v[1] += texelFetch(whole, ivec2(0), 0).x;
}
