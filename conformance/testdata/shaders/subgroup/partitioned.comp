#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_NV_shader_subgroup_partitioned : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
// Groups of equal values within subgroups of four; invocation 5 takes no part.
//! subgroup 4
//! in 0 u32 7 9 7 7 1 8 2 1
//! out 1 u32 13 2 13 13 9 99 4 9
//! out 2 u32 8 2 8 8 13 99 7 13
//! out 3 u32 0x3f800000 0x40000000 0x40400000 0x41400000 0x40a00000 99 0x40e00000 0x42200000
//! out 4 u32 0xffffffff 0xffffffff 1 1 0xffffffff 99 0xffffffff 5
//! out 5 u32 13 2 13 13 9 99 4 9
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint ballot[]; };
layout(std430, binding = 2) buffer C { uint sum[]; };
layout(std430, binding = 3) buffer D { float product[]; };
layout(std430, binding = 4) buffer E { uint least[]; };
layout(std430, binding = 5) buffer F { uint wide[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	if (i == 5) {
		ballot[i] = 99; sum[i] = 99; product[i] = uintBitsToFloat(99); least[i] = 99; wide[i] = 99;
		return;
	}
	uvec4 p = subgroupPartitionNV(a[i]);
	ballot[i] = p.x;
	sum[i] = uint(subgroupPartitionedAddNV(uint64_t(i + 1), p));
	product[i] = subgroupPartitionedInclusiveMulNV(float(i + 1), p);
	least[i] = subgroupPartitionedExclusiveMinNV(i + 1, p);
	wide[i] = subgroupPartitionNV(u64vec2(a[i], uint64_t(a[i]) << 32)).x;
}
