#version 460
// Comparisons with implicit levels, projective too.
//! image 0 2 2 d32 f32 0.1 0.5 0.5 0.9
//! sampler 0 nearest less
//! color 0 f32 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1
layout(binding = 0) uniform sampler2DShadow s;
layout(location = 0) in vec2 pixel;
layout(location = 0) out vec4 c;
void main() {
	vec2 uv = pixel * 0.5;
	c.x = texture(s, vec3(uv, 0.2));
	c.y = textureProj(s, vec4(uv * 2, 0.4, 2));
	c.z = 1;
	c.w = textureOffset(s, vec3(uv, 0.0), ivec2(0));
}
