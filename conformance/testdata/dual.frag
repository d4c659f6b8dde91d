#version 450
#extension GL_GOOGLE_include_directive : require
#include "inputs.glsl"
// Two sources for one attachment.
layout(location = 0, index = 0) out vec4 source0;
layout(location = 0, index = 1) out vec4 source1;

void main() {
    source0 = color;
    source1 = vec4(fract(linear), atCentroid.zw);
}
