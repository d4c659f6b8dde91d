#version 450
// A chain of many turns in each invocation, which ends.
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { uint v[]; };
layout(push_constant) uniform P { uint turns; };
void main() {
    uint s = 1u + gl_WorkGroupID.x;
    for (uint i = 0u; i < turns; i++) s = s * 1664525u + 1013904223u;
    v[gl_WorkGroupID.x] = s;
}
