#version 460
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_shader_group_vote : require
#extension GL_ARB_gpu_shader_int64 : require
// The instructions of the older extensions; a subgroup has four invocations.
//! subgroup 4
//! in 0 u32 1 2 3 4 5 6 7 8
//! out 1 u32 10*8
//! out 2 u32 1*4 5*4
//! out 3 u32 3*4 7*4
//! out 4 u32 1*4 0*4
//! out 5 u32 0*4 1*4
//! out 6 u32 1*8
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer B { uint votes[]; };
layout(std430, binding = 2) writeonly buffer C { uint first[]; };
layout(std430, binding = 3) writeonly buffer D { uint third[]; };
layout(std430, binding = 4) writeonly buffer E { uint all4[]; };
layout(std430, binding = 5) writeonly buffer F { uint any6[]; };
layout(std430, binding = 6) writeonly buffer G { uint same[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	votes[i] = uint(ballotARB(a[i] % 2 == 0));
	first[i] = readFirstInvocationARB(a[i]);
	third[i] = readInvocationARB(a[i], 2);
	all4[i] = uint(allInvocationsARB(a[i] < 5));
	any6[i] = uint(anyInvocationARB(a[i] == 6));
	same[i] = uint(allInvocationsEqualARB(a[i] < 5));
}
