#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
// Votes, ballots, elections and the built-ins.
//! subgroup 4
//! in 0 u32 1 2 3 4 5 6 7 8
//! out 1 u32 1 0 0 0 1 0 0 0
//! out 2 u32 1 1 1 1 0 0 0 0
//! out 3 u32 0 0 0 0 1 1 1 1
//! out 4 u32 1 1 1 1 1 1 1 1
//! out 5 u32 10 10 10 10 10 10 10 10
//! out 6 u32 1 0 1 0 1 0 1 0
//! out 7 u32 0 1 0 0 0 1 0 0
//! out 8 u32 3 3 3 3 3 3 3 3
//! out 9 u32 0 1 2 2 0 1 2 2
//! out 10 u32 2 2 2 2 2 2 2 2
//! out 11 u32 2 2 2 2 2 2 2 2
//! out 12 u32 64 65 66 67 64 65 66 67
//! out 13 u32 225 450 900 1800 225 450 900 1800
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer B0 { uint a[]; };
layout(std430, binding = 1) writeonly buffer B1 { uint elected[]; };
layout(std430, binding = 2) writeonly buffer B2 { uint all2[]; };
layout(std430, binding = 3) writeonly buffer B3 { uint any2[]; };
layout(std430, binding = 4) writeonly buffer B4 { uint same[]; };
layout(std430, binding = 5) writeonly buffer B5 { uint votes[]; };
layout(std430, binding = 6) writeonly buffer B6 { uint mine[]; };
layout(std430, binding = 7) writeonly buffer B7 { uint bit[]; };
layout(std430, binding = 8) writeonly buffer B8 { uint count[]; };
layout(std430, binding = 9) writeonly buffer B9 { uint countBefore[]; };
layout(std430, binding = 10) writeonly buffer B10 { uint lowest[]; };
layout(std430, binding = 11) writeonly buffer B11 { uint highest[]; };
layout(std430, binding = 12) writeonly buffer B12 { uint size[]; };
layout(std430, binding = 13) writeonly buffer B13 { uint masks[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	elected[i] = uint(subgroupElect());
	all2[i] = uint(subgroupAll(a[i] < 5));
	any2[i] = uint(subgroupAny(a[i] == 6));
	same[i] = uint(subgroupAllEqual(a[i] / 5));
	votes[i] = subgroupBallot(a[i] % 2 == 0).x;
	mine[i] = uint(subgroupInverseBallot(uvec4(5, 0, 0, 0)));
	bit[i] = uint(subgroupBallotBitExtract(uvec4(4, 0, 0, 0), a[i] % 4));
	count[i] = subgroupBallotBitCount(uvec4(0xB, 0, 0, 0));
	countBefore[i] = subgroupBallotExclusiveBitCount(uvec4(0xB, 0, 0, 0));
	lowest[i] = subgroupBallotFindLSB(uvec4(0xC, 0, 0, 0));
	highest[i] = subgroupBallotFindMSB(uvec4(0x6, 0, 0, 0));
	size[i] = gl_SubgroupSize * 16 + gl_SubgroupInvocationID;
	masks[i] = gl_SubgroupEqMask.x | gl_SubgroupGtMask.x << 4 | gl_SubgroupLtMask.x << 8;
}
