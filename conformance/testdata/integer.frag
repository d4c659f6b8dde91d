#version 450
#extension GL_GOOGLE_include_directive : require
#include "inputs.glsl"
// An integer attachment beside a colour one.
layout(location = 0) out uvec4 out0;
#include "second.glsl"

void main() {
    uint n = uint(gl_FragCoord.x) * 73856093u ^ uint(gl_FragCoord.y) * 19349663u ^ (id.x << 3);
    out0 = uvec4(n + packUnorm4x8(color), id, bitCount(n));
    out1 = color + unpackUnorm4x8(n) * 0.25;
}
