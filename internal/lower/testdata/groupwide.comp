#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint r[]; };
uint n;
void put(uint v) { r[n++] = v; }
void put(uint64_t v) { uvec2 p = unpackUint2x32(v); put(p.x); put(p.y); }
void put(double v) { uvec2 p = unpackDouble2x32(v); put(p.x); put(p.y); }
void main() {
    uint lane = gl_LocalInvocationIndex, x = a[lane];
    n = lane * 32u;
    uint64_t u = packUint2x32(uvec2(x, x * 3u));
    int64_t i = int64_t(u);
    double d = double(int(x)) * 0.1lf;
    int8_t b = int8_t(x);
    float16_t h = float16_t(float(x & 255u));
    put(subgroupAdd(u)); put(uint64_t(subgroupMin(i))); put(subgroupExclusiveMax(u)); put(subgroupInclusiveAdd(d)); put(subgroupShuffle(d, 3u)); put(subgroupBroadcastFirst(u));
    // 12
    put(uint(int(subgroupExclusiveMin(b)))); put(uint(int(subgroupMax(b)))); put(uint(int(subgroupAdd(b)))); put(uint(subgroupExclusiveAnd(uint16_t(x))));
    put(uint(float16BitsToUint16(subgroupAdd(h)))); put(uint(subgroupAllEqual(double(lane >> 2)))); put(uint(subgroupAllEqual(u))); put(uint(float16BitsToUint16(subgroupShuffleXor(h, 2u))));
    put(uint(uint8_t(subgroupExclusiveMin(uint8_t(x))))); put(subgroupMul(d));
    // 23
}
