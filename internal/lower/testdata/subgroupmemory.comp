#version 450
#extension GL_KHR_shader_subgroup_ballot : enable
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uvec4 o[]; };

shared uvec4 votes[16];

// A ballot by hand, as programs wrote it before subgroups had one.
void main() {
    uint lane = gl_SubgroupInvocationID;
    if (subgroupElect()) votes[gl_SubgroupID] = uvec4(0);
    subgroupMemoryBarrierShared();
    if ((a[gl_LocalInvocationID.x] & 1u) != 0u) {
        uint bit = 1u << (lane % 32u);
        switch (lane / 32u) {
        case 0u: atomicOr(votes[gl_SubgroupID].x, bit); break;
        case 1u: atomicOr(votes[gl_SubgroupID].y, bit); break;
        case 2u: atomicOr(votes[gl_SubgroupID].z, bit); break;
        case 3u: atomicOr(votes[gl_SubgroupID].w, bit); break;
        }
    }
    subgroupMemoryBarrierShared();
    o[gl_LocalInvocationID.x] = votes[gl_SubgroupID];
}
