#version 450
// Two sources, of the same components in another order.
layout(location = 2) flat in vec4 flatly;
layout(location = 0, index = 0) out vec4 color;
layout(location = 0, index = 1) out vec4 second;
void main() {
	color = flatly;
	second = flatly.yzwx;
}
