#version 450
// Each invocation has a large array of its own.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint SIZE = 4;
layout(constant_id = 2) const bool SHARES = false; // workgroup memory keeps a workgroup in one batch
layout(binding = 0) buffer B { uint v[]; };
shared uint s[4];
void main() {
    uint p[SIZE];
    for (uint i = 0u; i < SIZE; i++) p[i] = i * 3u;
    uint k = p[v[gl_GlobalInvocationID.x] % SIZE];
    if (SHARES) {
        s[gl_LocalInvocationIndex % 4u] = 1u;
        barrier();
        k += s[0];
    }
    v[gl_GlobalInvocationID.x] = k;
}
