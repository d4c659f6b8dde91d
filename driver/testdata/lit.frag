#version 450

layout(set = 0, binding = 0) uniform sampler2D albedo;
layout(set = 0, binding = 1) uniform sampler2DShadow map;
layout(location = 0) out vec4 color;

void main() {
	vec2 at = gl_FragCoord.xy / 64;
	vec4 base = texture(albedo, at);
	float light = texture(map, vec3(at, 0.5));
	color = base * (0.25 + 0.75 * light);
}
