#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
// Values from other invocations.
//! subgroup 4
//! in 0 u32 1 2 3 4 5 6 7 8
//! out 1 u32 1 1 1 1 5 5 5 5
//! out 2 u32 3 3 3 3 7 7 7 7
//! out 3 u32 4 3 2 1 8 7 6 5
//! out 4 u32 2 1 4 3 6 5 8 7
//! out 5 u32 0 1 2 3 0 5 6 7
//! out 6 u32 2 3 4 0 6 7 8 0
//! out 7 u32 2 1 4 3 6 5 8 7
//! out 8 u32 3 4 1 2 7 8 5 6
//! out 9 u32 4 3 2 1 8 7 6 5
//! out 10 u32 2 2 2 2 6 6 6 6
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer B0 { uint a[]; };
layout(std430, binding = 1) writeonly buffer B1 { uint first[]; };
layout(std430, binding = 2) writeonly buffer B2 { uint third[]; };
layout(std430, binding = 3) writeonly buffer B3 { uint any[]; };
layout(std430, binding = 4) writeonly buffer B4 { uint exchange[]; };
layout(std430, binding = 5) writeonly buffer B5 { uint up[]; };
layout(std430, binding = 6) writeonly buffer B6 { uint down[]; };
layout(std430, binding = 7) writeonly buffer B7 { uint across[]; };
layout(std430, binding = 8) writeonly buffer B8 { uint updown[]; };
layout(std430, binding = 9) writeonly buffer B9 { uint diagonal[]; };
layout(std430, binding = 10) writeonly buffer B10 { uint quad[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	first[i] = subgroupBroadcastFirst(a[i]);
	third[i] = subgroupBroadcast(a[i], 2);
	any[i] = subgroupShuffle(a[i], 3 - i % 4);
	exchange[i] = subgroupShuffleXor(a[i], 1);
	up[i] = subgroupShuffleUp(a[i], 1) * uint(i % 4 >= 1);
	down[i] = subgroupShuffleDown(a[i], 1) * uint(i % 4 < 3);
	across[i] = subgroupQuadSwapHorizontal(a[i]);
	updown[i] = subgroupQuadSwapVertical(a[i]);
	diagonal[i] = subgroupQuadSwapDiagonal(a[i]);
	quad[i] = subgroupQuadBroadcast(a[i], 1);
}
