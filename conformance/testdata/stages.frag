#version 450
layout(location = 0) in vec4 shade;
layout(location = 1) flat in uint mark;
layout(location = 0) out vec4 color;
void main() {
	color = vec4(shade.rgb * 0.5 + 0.5 * fract(float(mark) * 0.1), fract(float(gl_PrimitiveID) / 16.0));
}
