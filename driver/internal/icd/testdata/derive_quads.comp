#version 460
#extension GL_NV_compute_shader_derivatives : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;
layout(derivative_group_quadsNV) in;
layout(std430, binding = 0) buffer Out { int d[128]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uvec3 l = gl_LocalInvocationID;
    float f = float(l.x) + 10.0 * float(l.y) + 100.0 * float(l.z);
    d[2 * i] = int(dFdx(f)) + 1000 * int(gl_SubgroupID);
    d[2 * i + 1] = int(dFdy(f));
}
