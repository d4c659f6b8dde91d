#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_clustered : require
layout(location = 0) flat in uint x;
layout(location = 0) out uvec4 o;
layout(location = 1) out uvec4 room; // of a subgroup, which a quad does not fill
void main() {
    o = uvec4(subgroupAdd(x), subgroupBallot(true).x, subgroupQuadSwapHorizontal(x), subgroupElect() ? 1u : 0u);
    room = uvec4(gl_SubgroupSize, gl_SubgroupGeMask.x, gl_SubgroupGtMask.x, subgroupClusteredAdd(x, 8u));
}
