#version 450
#extension GL_EXT_null_initializer : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) writeonly buffer Out { uint r[]; };
struct S { uint x; float y[3]; };
shared S s = { };
void main() {
    if (gl_LocalInvocationIndex == 5u) s.x = 9u;
    barrier();
    r[gl_LocalInvocationIndex] = s.x + floatBitsToUint(s.y[gl_LocalInvocationIndex % 3u]);
}
