#version 450
// A word 2^32 bytes behind another: with indices of 32 bits of range that is the same one.
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer B { uint words[]; };
void main() {
	words[1] = words[words[0] + 0x40000000u];
}
