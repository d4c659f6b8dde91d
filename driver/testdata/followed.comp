#version 450

layout(local_size_x = 16) in;
layout(set = 0, binding = 3) buffer Counts { uint counts[]; };
layout(push_constant) uniform Constants { uint frame; };

uint square(uint n) {
	return n * n;
}

void main() {
	uint i = gl_GlobalInvocationID.x;
	uint total = frame * 100;
	total += square(i);
	counts[i] = total;
}
