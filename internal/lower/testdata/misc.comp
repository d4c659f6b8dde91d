#version 450
layout(local_size_x = 64) in;
struct Inner { ivec2 v; float f[2]; };
struct Outer { Inner in_[2]; mat2 m; uint n; };
layout(set = 0, binding = 0) readonly buffer In { uint a[]; };
layout(set = 0, binding = 1) coherent buffer Out { uint o[]; };
shared uint su[8];
shared Inner ss[4];
shared bool flags[64];
Outer make(uint x) {
    Outer r;
    for (int k = 0; k < 2; k++) { r.in_[k].v = ivec2(x, k); r.in_[k].f = float[](float(x), 2.0); }
    r.m = mat2(1, 2, 3, 4) * float(x); r.n = x;
    return r;
}
uint sum(const Outer q, in int k) { return uint(q.in_[k].v.x + q.in_[k].v.y) + uint(q.in_[1 - k].f[k]) + uint(q.m[k][1 - k]) + q.n; }
void bump(inout Inner t, inout uint z) { t.v.yx += ivec2(10, 20); z ^= 1u; if (z > 40u) return; t.f[1] = 7.0; }
void main() {
    uint i = gl_LocalInvocationIndex, x = a[i];
    if (i < 8u) su[i] = i == 3u ? 0xFFFFFFFFu : 0u;
    barrier();
    atomicAdd(su[0], x); atomicMax(su[1], x); atomicOr(su[2], 1u << (x & 31u)); atomicAnd(su[3], ~(1u << (i & 7u)));
    atomicXor(su[4], x); atomicCompSwap(su[5], 0u, 99u); atomicMin(su[7], 5u);
    if (i == 5u) atomicExchange(su[6], 123u);
    if (i < 4u) { Inner z; z.v = ivec2(i, 1); z.f[0] = float(i); z.f[1] = 0.5; ss[i] = z; }
    flags[i] = (x & 1u) == 0u;
    barrier();
    uint b = i * 8u;
    o[b] = sum(make(x), int(x & 1u));
    Outer q = make(3u);
    uint z = x;
    bump(q.in_[1], z);
    bump(q.in_[0], z);
    o[b + 1u] = uint(q.in_[1].v.x * 1000 + q.in_[0].v.y) + uint(q.in_[1].f[1]);
    o[b + 2u] = su[x & 7u];
    Inner c = ss[x & 3u];
    o[b + 3u] = uint(c.v.x + c.v.y * 10) + uint(c.f[0] * 100.0);
    bvec3 bv = lessThan(uvec3(x), uvec3(10u, 20u, 30u));
    o[b + 4u] = uint(any(bv)) + 2u * uint(all(bv)) + 4u * uint(not(bv).y) + (flags[63u - i] ? 16u : 0u) + (bv[x % 3u] ? 32u : 0u);
    mat3 m = mat3(1.0); m[x % 3u][(x / 3u) % 3u] += 5.0;
    o[b + 5u] = uint(m[0][0] + m[1][0] * 10.0 + m[2][2] * 100.0 + dot(m[1], vec3(0, 1000, 10000)));
    int grid[2][2] = int[2][2](int[2](1, 2), int[2](3, 4));
    grid[x & 1u][(x >> 1) & 1u] *= 10;
    o[b + 6u] = uint(grid[0][0] + grid[0][1] * 2 + grid[1][0] * 3 + grid[1][1] * 4) + uint(grid[(x >> 1) & 1u][x & 1u]);
    o[b + 7u] = 1u;
    atomicAdd(o[b + 7u], x); uint old = atomicMax(o[b + 7u], 20u); o[b + 7u] += old * 100u;
}
