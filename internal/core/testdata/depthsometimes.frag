#version 450
layout(location = 0) out uvec4 color;
void main() {
	color = uvec4(uint(gl_FragCoord.y) * 16u + uint(gl_FragCoord.x), 0u, 0u, 0u);
	if (gl_FragCoord.x > 8.0) {
		gl_FragDepth = 0.25;
	}
}
