#version 460
// Images and samplers apart, put together in the shader; the number of samples.
//! image 0 2 2 rgba32f f32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
//! sampler 1 linear
//! multisample 2 2 2 rgba8 4
//! out 3 f32 7 8 9 10 2 4 1 2
layout(local_size_x = 1) in;
layout(binding = 0) uniform texture2D t;
layout(binding = 1) uniform sampler s;
layout(binding = 2) uniform texture2DMS m;
layout(std430, binding = 3) writeonly buffer O { vec4 o[]; };
void main() {
	o[0] = textureLod(sampler2D(t, s), vec2(0.5), 0.0);
	o[1] = vec4(textureSize(sampler2D(t, s), 0).x, textureSamples(sampler2DMS(m, s)), 1 + texelFetch(sampler2DMS(m, s), ivec2(0), 1).x, textureSize(sampler2DMS(m, s)).y);
}
