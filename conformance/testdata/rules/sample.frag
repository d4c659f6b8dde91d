#version 450
// An input that is decorated Sample, and one that is not.
layout(location = 0) in vec4 smoothly;
layout(location = 4) sample in vec4 atSample;
layout(location = 0) out vec4 color[2];
void main() {
	color[0] = smoothly;
	color[1] = atSample;
}
