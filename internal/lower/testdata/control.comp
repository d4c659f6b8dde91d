#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint o[]; };

uint early(uint x) {
    if (x < 8u) return 1u;
    if (x < 16u) { if ((x & 1u) == 0u) return 2u; x += 100u; }
    for (uint i = 0u; i < x; i++) { if (i * i > x) return i; }
    return x + 7u;
}
uint nested(uint x) {
    uint s = 0u;
    for (uint i = 0u; i < 10u; i++) {
        if (i == (x & 7u)) continue;
        for (uint j = 0u; ; j++) {
            if (j == x % 5u) break;
            if ((i + j) % 3u == 0u) continue;
            s += i * j + 1u;
            if (s > 200u) return s;
        }
        s ^= i;
        if (s > 150u) break;
    }
    return s;
}
uint fall(uint x) {
    uint r = 0u;
    switch (x % 9u) {
    case 0u: r += 1u;
    case 1u: r += 10u; break;
    case 2u: case 3u: r += 100u; if (x > 20u) break;
    default: r += 1000u;
    case 5u: r += 10000u; if (x > 40u) return r; break;
    case 6u: break;
    }
    return r;
}
uint doWhile(uint x) {
    uint n = 0u;
    do { n++; if (x == 1u) break; x = (x & 1u) == 0u ? x / 2u : 3u * x + 1u; if (n > 30u) continue; } while (x != 4u && n < 40u);
    return n * 256u + (x & 255u);
}
uint loopSwitch(uint x) {
    uint acc = 0u;
    for (uint i = 0u; i < 12u; i++) {
        switch ((x + i) & 3u) {
        case 0u: continue;
        case 1u: acc += i; break;
        case 2u: if (i > 8u) return acc | 0x8000u;
        case 3u: acc = acc * 3u + 1u;
        }
        acc += 2u;
    }
    return acc;
}
void outParam(uint x, out uint y, inout uint z) { if (x > 30u) { y = 5u; return; } y = x; z += x; }
uint fib(uint n) { uint a = 0u, b = 1u; while (n-- > 0u) { uint t = a + b; a = b; b = t; } return a; }
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint x = a[i];
    uint y, z = 3u;
    o[i * 8u + 0u] = early(x);
    o[i * 8u + 1u] = nested(x);
    o[i * 8u + 2u] = fall(x);
    o[i * 8u + 3u] = doWhile(x);
    o[i * 8u + 4u] = loopSwitch(x);
    outParam(x, y, z);
    o[i * 8u + 5u] = y * 1000u + z;
    o[i * 8u + 6u] = fib(x % 20u);
    bool p = (x & 1u) != 0u && a[63u - i] > 10u || x == 6u;
    if (!p) { o[i * 8u + 7u] = 77u; if (x > 50u) return; }
    o[i * 8u + 7u] += 1u;
}
