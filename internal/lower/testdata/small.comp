#version 450
#extension GL_EXT_shared_memory_block : require
#extension GL_EXT_null_initializer : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint r[]; };
layout(set = 0, binding = 2) readonly buffer Grid { uint g; } grid[2][3];
shared A { layout(offset = 0) uint sa[64]; layout(offset = 512) uint sc; };
shared B { layout(offset = 128) uvec4 sb[8]; };
void main() {
    uint lane = gl_LocalInvocationIndex, x = a[lane];
    sa[lane] = x;
    if (lane == 0u) sc = 7u;
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
    r[lane * 4u] = sb[(lane & 31u) >> 2][lane & 3u] + sc;
    r[lane * 4u + 1u] = grid[1][2].g * 100u + grid[x & 1u][lane % 3u].g;
    r[lane * 4u + 2u] = sb[7].w;
    r[lane * 4u + 3u] = grid.length() * 10u + grid[0].length();
}
