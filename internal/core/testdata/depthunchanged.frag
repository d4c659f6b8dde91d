#version 450
layout(depth_unchanged) out float gl_FragDepth;
layout(location = 0) out uvec4 color;
void main() {
	color = uvec4(uint(gl_FragCoord.y) * 16u + uint(gl_FragCoord.x), 0u, 0u, 0u);
	gl_FragDepth = gl_FragCoord.z;
}
