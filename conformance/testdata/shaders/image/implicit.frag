#version 460
// Implicit levels and biases in fragment shaders; a query of the level; coarse and fine derivatives.
//! image 0 2 2 rgba32f f32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
//! sampler 0 nearest
//! color 0 f32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
//! color 1 f32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
//! color 2 f32 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1
layout(binding = 0) uniform sampler2D s;
layout(location = 0) in vec2 pixel;
layout(location = 0) out vec4 c;
layout(location = 1) out vec4 d;
layout(location = 2) out vec4 e;
void main() {
	vec2 uv = pixel * 0.5;
	c = texture(s, uv);
	d = textureProj(s, vec3(uv, 1), 0.0);
	vec2 level = textureQueryLod(s, uv);
	e = vec4(level, dFdx(pixel.x), dFdy(pixel.y));
}
