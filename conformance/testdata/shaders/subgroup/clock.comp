#version 460
#extension GL_ARB_shader_clock : require
#extension GL_KHR_shader_subgroup_basic : require
// The clock of a subgroup counts its reads: of two, the second is later, and so it is behind a branch where one of the
// subgroup has read more often.
//! out 0 u32 1 1 1 1
//! out 1 u32 2 4 2 2
//! out 2 u32 5 5 5 5
layout(local_size_x = 4) in;
layout(std430, binding = 0) writeonly buffer B0 { uint first[]; };
layout(std430, binding = 1) writeonly buffer B1 { uint branch[]; };
layout(std430, binding = 2) writeonly buffer B2 { uint last[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	uvec2 t = clock2x32ARB();
	first[i] = t.x + t.y;
	uint n = i == 1 ? 3 : 1;
	uint u = 0;
	for (uint k = 0; k < n; k++)
		u = clock2x32ARB().x;
	branch[i] = u;
	last[i] = uint(clock2x32ARB().x);
}
