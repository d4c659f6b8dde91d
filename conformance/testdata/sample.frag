#version 450
#extension GL_GOOGLE_include_directive : require
#include "inputs.glsl"
// Runs once a sample and drops samples by mask.
layout(location = 0) out vec4 out0;
#include "second.glsl"

void main() {
    out0 = color * (0.25 + 0.25 * float(gl_SampleID)) + vec4(gl_SamplePosition, 0.0, 0.0) * 0.5;
    out1 = vec4(fract(linear * 4.0), uv);
    gl_SampleMask[0] = int(gl_FragCoord.x) % 3 == 0 ? 0x5 : 0xf;
}
