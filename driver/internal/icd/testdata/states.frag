#version 450
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
void main() {
	a = vec4(1, 0.5, 0.25, 0.125);
	b = vec4(0.125, 0.25, 0.5, 1);
}
