#version 450
#extension GL_GOOGLE_include_directive : require
#include "inputs.glsl"
// Depth from the shader.
layout(location = 0) out vec4 out0;
#include "second.glsl"

void main() {
    gl_FragDepth = clamp(gl_FragCoord.z + 0.1 * sin(linear.x * 9.0), 0.0, 1.0);
    out0 = color;
    out1 = vec4(gl_FragDepth);
}
