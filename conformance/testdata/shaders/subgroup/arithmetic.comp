#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
// Reductions, inclusive and exclusive scans; a subgroup has four invocations.
//! subgroup 4
//! in 0 u32 1 2 3 4 5 6 7 8
//! out 1 u32 10 10 10 10 26 26 26 26
//! out 2 u32 24 24 24 24 1680 1680 1680 1680
//! out 3 u32 1 1 1 1 5 5 5 5
//! out 4 u32 4 4 4 4 8 8 8 8
//! out 5 u32 0 0 0 0 0 0 0 0
//! out 6 u32 7 7 7 7 15 15 15 15
//! out 7 u32 4 4 4 4 12 12 12 12
//! out 8 u32 1 3 6 10 5 11 18 26
//! out 9 u32 0 1 3 6 0 5 11 18
//! out 10 u32 3 3 7 7 11 11 15 15
//! out 11 i32 -4 -4 -4 -4 -8 -8 -8 -8
//! out 12 i32 -1 -1 -1 -1 -5 -5 -5 -5
//! out 13 f32 0x41200000 0x41200000 0x41200000 0x41200000 0x41d00000 0x41d00000 0x41d00000 0x41d00000
//! out 14 f32 0x41c00000 0x41c00000 0x41c00000 0x41c00000 0x44d20000 0x44d20000 0x44d20000 0x44d20000
//! out 15 f32 0x3f800000 0x3f800000 0x3f800000 0x3f800000 0x40a00000 0x40a00000 0x40a00000 0x40a00000
//! out 16 f32 0x40800000 0x40800000 0x40800000 0x40800000 0x41000000 0x41000000 0x41000000 0x41000000
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer B0 { uint a[]; };
layout(std430, binding = 1) writeonly buffer B1 { uint sum[]; };
layout(std430, binding = 2) writeonly buffer B2 { uint product[]; };
layout(std430, binding = 3) writeonly buffer B3 { uint low[]; };
layout(std430, binding = 4) writeonly buffer B4 { uint high[]; };
layout(std430, binding = 5) writeonly buffer B5 { uint all1[]; };
layout(std430, binding = 6) writeonly buffer B6 { uint any1[]; };
layout(std430, binding = 7) writeonly buffer B7 { uint odd[]; };
layout(std430, binding = 8) writeonly buffer B8 { uint running[]; };
layout(std430, binding = 9) writeonly buffer B9 { uint before[]; };
layout(std430, binding = 10) writeonly buffer B10 { uint pairs[]; };
layout(std430, binding = 11) writeonly buffer B11 { int slow[]; };
layout(std430, binding = 12) writeonly buffer B12 { int shigh[]; };
layout(std430, binding = 13) writeonly buffer B13 { float fsum[]; };
layout(std430, binding = 14) writeonly buffer B14 { float fproduct[]; };
layout(std430, binding = 15) writeonly buffer B15 { float flow[]; };
layout(std430, binding = 16) writeonly buffer B16 { float fhigh[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	sum[i] = subgroupAdd(a[i]);
	product[i] = subgroupMul(a[i]);
	low[i] = subgroupMin(a[i]);
	high[i] = subgroupMax(a[i]);
	all1[i] = subgroupAnd(a[i]);
	any1[i] = subgroupOr(a[i]);
	odd[i] = subgroupXor(a[i]);
	running[i] = subgroupInclusiveAdd(a[i]);
	before[i] = subgroupExclusiveAdd(a[i]);
	pairs[i] = subgroupClusteredAdd(a[i], 2);
	slow[i] = subgroupMin(-int(a[i]));
	shigh[i] = subgroupMax(-int(a[i]));
	fsum[i] = subgroupAdd(float(a[i]));
	fproduct[i] = subgroupMul(float(a[i]));
	flow[i] = subgroupMin(float(a[i]));
	fhigh[i] = subgroupMax(float(a[i]));
}
