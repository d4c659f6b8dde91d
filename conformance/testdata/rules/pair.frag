#version 450
// Two outputs of one component each, of numbers and of integers.
layout(location = 2) flat in vec4 flatly;
layout(location = 0) out float color;
layout(location = 1) out int number;
void main() {
	color = flatly.x;
	number = int(flatly.y);
}
