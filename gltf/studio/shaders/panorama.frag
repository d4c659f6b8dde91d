#version 450
#extension GL_GOOGLE_include_directive : require
// One face of a cube from a panorama.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform sampler2D panorama;
layout(push_constant) uniform Push {
    int face;
    float rotation;
    uint count;
} push;

const float PI = 3.14159265358979;
#include "panorama.glsl"
#include "face.glsl"

const int SIDE = 2; // samples a texel, each way

void main() {
    vec2 texel = fwidth(uv);
    vec3 sum = vec3(0.0);
    for (int i = 0; i < SIDE * SIDE; i++) {
        vec2 at = uv + texel * ((vec2(i % SIDE, i / SIDE) + 0.5) / float(SIDE) - 0.5);
        vec3 d = faceDirection(push.face, at);
        sum += textureLod(panorama, panoramaUV(d, push.rotation), 0.0).rgb;
    }
    color = vec4(sum / float(SIDE * SIDE), 1.0);
}
