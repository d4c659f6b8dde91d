#version 450
// Alpha is the value's first component.
layout(location = 0) in vec4 smoothly;
layout(location = 0) out vec4 color;
void main() {
	color = vec4(1, 1, 1, smoothly.x);
}
