#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint r[]; };
layout(set = 0, binding = 2) buffer Wide { int64_t k; dvec3 v; double d[3]; uint64_t sum; uint64_t top; } w;
shared uint64_t shsum;
shared int64_t shmin;
layout(constant_id = 3) const uint64_t spec = 0x123456789abcdef0ul;
uint n;
void put(uint v) { r[n++] = v; }
void put(uint64_t v) { uvec2 p = unpackUint2x32(v); put(p.x); put(p.y); }
void put(int64_t v) { put(uint64_t(v)); }
void put(double v) { uvec2 p = unpackDouble2x32(v); put(p.x); put(p.y); }
double pick(double a, double b, bool c) { if (c) return a; for (int i = 0; i < 3; ++i) b += a; return b; }
void main() {
    uint lane = gl_LocalInvocationIndex, x = a[lane], y = a[lane ^ 1u];
    n = lane * 160u;
    int64_t i = packInt2x32(ivec2(x, y)), j = int64_t(int(y)) * 3l + 1l;
    uint64_t u = uint64_t(i), v = uint64_t(y) + 7ul;
    put(i + j); put(i - j); put(i * j); put(i / j); put(u / v); put(u % v); put(i % j); put(-i); put(u << (x & 63u)); put(u >> (x & 63u)); put(i >> (x & 63u));
    put(u & v); put(u | v); put(u ^ v); put(~u);
    // 30
    put(uint(i < j)); put(uint(u < v)); put(uint(i == j)); put(uint(u != v)); put(uint(i >= j)); put(min(i, j)); put(max(u, v)); put(abs(i)); put(sign(j)); put(clamp(j, -5l, 5l));
    // 45
    put(int64_t(int(x))); put(uint64_t(x)); put(uint(u)); put(float(i) == float(j) ? 1u : floatBitsToUint(float(u))); put(double(i)); put(double(u)); put(spec);
    // 57
    double d = double(int(x)) * 1.25lf + 0.1lf, e = double(y) * 1e-3lf + 1.0lf;
    put(d + e); put(d - e); put(d * e); put(d / e); put(fma(d, e, d)); put(sqrt(abs(d))); put(inversesqrt(e)); put(floor(d)); put(ceil(d)); put(trunc(d)); put(roundEven(d)); put(fract(d));
    put(mod(d, e)); put(min(d, e)); put(max(d, e)); put(sign(d)); put(abs(d)); put(-d); put(mix(d, e, 0.25lf)); put(step(d, e)); put(clamp(d, -1.0lf, 1.0lf));
    // 99
    put(uint(d < e)); put(uint(d == e)); put(uint(isnan(d))); put(uint(isinf(d / 0.0lf)));
    put(floatBitsToUint(float(d))); put(double(uintBitsToFloat(x & 0x3fffffffu))); put(uint(int(d))); put(int64_t(d)); put(uint64_t(e)); put(double(int(x))); put(double(x));
    // 116
    dvec3 p = dvec3(d, e, 2.0lf), q = dvec3(e, 1.0lf, d);
    put(dot(p, q)); put(length(p)); put(normalize(p).y); put(cross(p, q).z); put(distance(p, q));
    dmat2 m = dmat2(d, e, 1.0lf, 2.0lf);
    put((m * dvec2(1.0lf, 3.0lf)).y); put((m * m)[1].x); put(determinant(m)); put(transpose(m)[1].x);
    // 134
    put(pick(d, e, (x & 1u) != 0u)); put(w.k + w.k); put(w.v[lane % 3u]); put(w.d[x % 3u]); put(p[x % 3u]);
    int ex; double mant = frexp(d, ex); put(mant); put(uint(ex)); put(ldexp(e, 3)); put(packDouble2x32(uvec2(x, y)) == d ? 1u : 0u);
    // 150
    if (lane == 0u) { shsum = 0ul; shmin = 0x7fffffffffffffffl; }
    barrier();
    atomicAdd(shsum, v); atomicMin(shmin, i);
    atomicAdd(w.sum, uint64_t(x) << 20); atomicMax(w.top, u);
    barrier();
    put(shsum); put(shmin); put(w.sum); put(w.top);
    // 158
    uint64_t half_ = u >> 32; switch (uint(half_) & 3u) { case 0u: put(1u); break; case 1u: put(2u); break; default: put(3u); }
}
