#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint o[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, k = a[i] % 12u;
    uint sq[12];
    bool even[12];
    for (uint j = 0u; j < 12u; j++) { sq[j] = (j + 1u) * (j + 1u); even[j] = (j % 3u & 1u) == 0u; }
    o[2u * i] = sq[k];
    o[2u * i + 1u] = even[k] ? 1u : 0u;
}
