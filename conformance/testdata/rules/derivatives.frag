#version 450
layout(location = 0) in vec4 smoothly;
layout(location = 0) out vec4 color[5];
void main() {
	float v = smoothly.x * smoothly.y; // bent, so that the two rows of a quad differ
	color[0] = vec4(dFdxFine(v), dFdyFine(v), fwidthFine(v), v);
	color[1] = vec4(dFdxCoarse(v), dFdyCoarse(v), fwidthCoarse(v), 1);
	color[2] = vec4(dFdx(v), dFdy(v), fwidth(v), 1);
	color[3] = vec4(dFdx(gl_FragCoord.xy), dFdy(gl_FragCoord.xy));
	color[4] = gl_FragCoord;
}
