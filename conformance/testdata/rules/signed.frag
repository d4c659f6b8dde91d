#version 450
// Integers, which the bits of a flat value are.
layout(location = 2) flat in vec4 flatly;
layout(location = 0) out ivec4 color[4];
void main() {
	color[0] = color[1] = color[2] = color[3] = floatBitsToInt(flatly);
}
