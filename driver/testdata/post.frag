#version 450

layout(set = 0, binding = 2) uniform sampler2D lit;
layout(location = 0) out vec4 color;

void main() {
	vec2 at = gl_FragCoord.xy / 64;
	vec4 seen = textureLod(lit, at, 1.0);
	color = vec4(1 - seen.rgb, 1);
}
