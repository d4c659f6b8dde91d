#version 450
// Depth is the value's first component.
layout(location = 2) flat in vec4 flatly;
layout(location = 0) out vec4 color;
void main() {
	gl_FragDepth = flatly.x;
	color = vec4(1);
}
