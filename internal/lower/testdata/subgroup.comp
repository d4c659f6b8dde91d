#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint r[]; };
uint n;
void put(uint v) { r[n++] = v; }
void put(bool v) { put(v ? 1u : 0u); }
void put(uvec4 v) { put(v.x); put(v.y); put(v.z); put(v.w); }
void put(float v) { put(floatBitsToUint(v)); }
void main() {
    uint lane = gl_LocalInvocationIndex;
    n = lane * 96u;
    uint x = a[lane];
    put(gl_SubgroupSize); put(gl_SubgroupInvocationID); put(gl_SubgroupID); put(gl_NumSubgroups);
    put(gl_SubgroupEqMask); put(gl_SubgroupGeMask); put(gl_SubgroupGtMask); put(gl_SubgroupLeMask); put(gl_SubgroupLtMask);
    // 24; everything below runs in some lanes
    if ((x & 3u) != 1u) {
        put(subgroupElect());
        put(subgroupAll(x > 10u)); put(subgroupAny(x > 200u)); put(subgroupAllEqual(x & 8u));
        put(subgroupBroadcastFirst(x)); put(subgroupBroadcast(x, 2u));
        uvec4 b = subgroupBallot((x & 4u) != 0u);
        put(b);
        put(subgroupInverseBallot(b)); put(subgroupBallotBitExtract(b, 3u));
        put(subgroupBallotBitCount(b)); put(subgroupBallotInclusiveBitCount(b)); put(subgroupBallotExclusiveBitCount(b));
        put(subgroupBallotFindLSB(b)); put(subgroupBallotFindMSB(b));
        // 41
        put(subgroupShuffle(x, (x >> 4) & 3u)); put(subgroupShuffleXor(x, 1u)); put(subgroupShuffleUp(x, 1u)); put(subgroupShuffleDown(x, 2u));
        put(subgroupQuadBroadcast(x, 1u)); put(subgroupQuadSwapHorizontal(x)); put(subgroupQuadSwapVertical(x)); put(subgroupQuadSwapDiagonal(x));
        // 49
        int s = int(x) - 100;
        float f = float(s) * 0.375;
        put(subgroupAdd(x)); put(subgroupMul(x | 1u)); put(uint(subgroupMin(s))); put(subgroupMin(x)); put(uint(subgroupMax(s))); put(subgroupMax(x));
        put(subgroupAnd(x | 3u)); put(subgroupOr(x)); put(subgroupXor(x)); put(subgroupAdd(f)); put(subgroupMul(f)); put(subgroupMin(f)); put(subgroupMax(f));
        // 62
        put(subgroupInclusiveAdd(x)); put(subgroupExclusiveAdd(x)); put(uint(subgroupInclusiveMin(s))); put(uint(subgroupExclusiveMin(s)));
        put(subgroupInclusiveAdd(f)); put(subgroupExclusiveMul(f)); put(subgroupExclusiveMax(f)); put(subgroupInclusiveXor(x)); put(subgroupExclusiveAnd(x));
        // 71
        put(subgroupClusteredAdd(x, 2)); put(subgroupClusteredMax(x, 4)); put(subgroupClusteredAnd((x & 16u) != 0u, 4)); put(subgroupAdd(uvec2(x, 1u)).y);
        // 75
    }
    // uniform-looking loop that lanes leave at different times
    uint sum = 0u;
    for (uint k = 0u; k < (x & 7u); ++k) { sum += subgroupAdd(1u); subgroupBarrier(); subgroupMemoryBarrier(); }
    r[lane * 96u + 95u] = sum;
}
