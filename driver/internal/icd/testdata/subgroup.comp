#version 460
#extension GL_KHR_shader_subgroup_basic : enable
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { uint size[64]; };
void main() { size[gl_LocalInvocationIndex] = gl_SubgroupSize << 16 | gl_NumSubgroups << 8 | gl_SubgroupID; }
