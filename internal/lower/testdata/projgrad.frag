#version 450
// The derivatives of a projected coordinate are those of the quotient.
layout(set = 0, binding = 0) uniform sampler2D levels;
layout(location = 0) in vec3 c;
layout(location = 0) out vec2 r;
void main() {
	r = vec2(textureProj(levels, c).r, texture(levels, c.xy / c.z).r);
}
