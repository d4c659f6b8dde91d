#version 450
#extension GL_KHR_shader_subgroup_arithmetic : enable
// Loops without end, of which `kind` chooses one. Each workgroup stores to words of its own.
layout(local_size_x_id = 0) in;
layout(binding = 0) buffer B { uint v[]; };
layout(push_constant) uniform P { uint kind; };
shared uint word;
void main() {
    uint l = gl_LocalInvocationIndex, x = l | 1u, own = 8u * (1u + gl_WorkGroupID.x);
    word = 0u;
    barrier();
    switch (kind) {
    case 0u: // what all invocations compute alike
        for (uint n = kind; v[0] == 0u; n = n * 3u + 1u) v[own + 1u] = n;
        break;
    case 1u: // some leave, others never
        while ((x & 1u) != 0u) x = (x * 5u & ~7u) | (x & 7u) | 1u;
        break;
    case 2u: // between barriers
        while (word == 0u) {
            barrier();
            v[own + 2u] = x++;
            barrier();
        }
        break;
    case 3u: // one waits for another
        while (atomicAdd(word, 0u) == 0u) x++;
        break;
    case 4u: // subgroups
        do x = subgroupAdd(x) | 1u; while (x != 0u);
        break;
    case 5u: // dear operations
        for (float f = float(x); f != -1.0; f = abs(pow(sin(f), tan(f + 2.0)))) v[own + 3u] = floatBitsToUint(f);
        break;
    case 6u: // loops in a loop that end by themselves, late
        for (uint i = 0u; i < 0xFFFFFFFFu; i++)
            for (uint k = 0u; k < 1000000u; k++) x = x * 1664525u + 1013904223u;
        break;
    }
    v[own + 4u] = x;
}
