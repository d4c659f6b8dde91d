#version 450
// Two components of colour, and a mask of samples.
layout(location = 2) flat in vec4 flatly;
layout(location = 0) out vec2 color;
void main() {
	color = flatly.xy;
	gl_SampleMask[0] = int(flatly.z);
}
