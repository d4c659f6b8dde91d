#version 450
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint r[]; };
layout(set = 0, binding = 2) buffer B { float add, lo, hi, swap; double dadd, dlo, dhi; };
layout(set = 0, binding = 3, r32f) uniform image2D img;
shared float sadd, slo, shi;
void main() {
    uint lane = gl_LocalInvocationIndex;
    float f = uintBitsToFloat(a[lane]);
    if (lane == 0u) { sadd = 0.0; slo = 1e9; shi = -1e9; }
    barrier();
    r[lane * 8u] = floatBitsToUint(atomicAdd(sadd, f));
    atomicMin(slo, f); atomicMax(shi, f);
    r[lane * 8u + 1u] = floatBitsToUint(atomicAdd(add, f));
    r[lane * 8u + 2u] = floatBitsToUint(atomicMin(lo, f));
    r[lane * 8u + 3u] = floatBitsToUint(atomicMax(hi, f));
    r[lane * 8u + 4u] = floatBitsToUint(atomicExchange(swap, f));
    atomicAdd(dadd, double(f)); atomicMin(dlo, double(f)); atomicMax(dhi, double(f));
    r[lane * 8u + 5u] = floatBitsToUint(imageAtomicAdd(img, ivec2(1), f) + imageAtomicMin(img, ivec2(2), f) + imageAtomicMax(img, ivec2(3), f));
    barrier();
    r[lane * 8u + 6u] = floatBitsToUint(sadd + slo * 2.0 + shi);
    r[lane * 8u + 7u] = floatBitsToUint(float(dadd + dlo * 2.0lf + dhi));
}
