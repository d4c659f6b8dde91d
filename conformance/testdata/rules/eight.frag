#version 450
// A value to as many outputs as there are, each with more of it.
layout(location = 2) flat in vec4 flatly;
layout(location = 0) out vec4 color[8];
void main() {
	for (int i = 0; i < 8; i++)
		color[i] = flatly + vec4(float(i) / 16);
}
