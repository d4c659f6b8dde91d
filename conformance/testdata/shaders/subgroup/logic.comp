#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
// Reductions of truth values.
//! subgroup 4
//! in 0 u32 1 2 3 4 5 6 7 8
//! out 1 u32 1 1 1 1 1 1 1 1
//! out 2 u32 1 1 1 1 0 0 0 0
//! out 3 u32 1 1 1 1 0 0 0 0
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer B0 { uint a[]; };
layout(std430, binding = 1) writeonly buffer B1 { uint both[]; };
layout(std430, binding = 2) writeonly buffer B2 { uint either[]; };
layout(std430, binding = 3) writeonly buffer B3 { uint parity[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	both[i] = uint(subgroupAnd(a[i] > 0));
	either[i] = uint(subgroupOr(a[i] == 2));
	parity[i] = uint(subgroupXor(a[i] == 2 || a[i] > 6));
}
