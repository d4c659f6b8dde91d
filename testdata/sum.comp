#version 450
// Sums of 256 numbers each, through the memory of a workgroup: half as many are left at each turn.
layout(local_size_x = 256) in;
layout(std430, set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform P { uint n; };
shared uint part[256];
void main() {
    uint i = gl_GlobalInvocationID.x, k = gl_LocalInvocationID.x;
    part[k] = i < n ? x[i] : 0u;
    for (uint d = 128u; d > 0u; d /= 2u) {
        barrier();
        if (k < d) part[k] += part[k + d];
    }
    if (k == 0u) y[gl_WorkGroupID.x] = part[0];
}
