#version 450
// The second loop never ends, for the number in the buffer is never odd.
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer B { uint n[64]; };
void main() {
	uint sum = 0;
	for (uint i = 0; i < n[0]; i++)
		sum += i;
	uint k = 2;

	while (k % 2 == 0) {
		sum += k;
		k += 2 * n[1];
	}
	n[2] = sum;
}
