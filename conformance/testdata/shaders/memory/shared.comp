#version 460
// Shared memory with barriers: each invocation reads what another wrote.
//! in 0 u32 1 2 3 4 5 6 7 8
//! out 1 u32 8 7 6 5 4 3 2 1
//! out 1 u32 36*8
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer O { uint o[]; };
shared uint line[8];
shared uint sum;
void main() {
	uint i = gl_LocalInvocationIndex;
	line[i] = a[i];
	if (i == 0)
		sum = 0;
	memoryBarrierShared();
	barrier();
	o[i] = line[7 - i];
	atomicAdd(sum, a[i]);
	barrier();
	o[8 + i] = sum;
}
