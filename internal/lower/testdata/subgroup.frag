#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_quad : require
layout(location = 0) flat in uint x;
layout(location = 0) out uvec4 o;
void main() {
    o = uvec4(subgroupAdd(x), subgroupBallot(true).x, subgroupQuadSwapHorizontal(x), subgroupElect() ? 1u : 0u);
}
