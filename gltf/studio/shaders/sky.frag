#version 450
#extension GL_GOOGLE_include_directive : require
// The environment as it is seen behind everything.
layout(constant_id = 31) const bool LINEAR = false;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform samplerCube radiance;
layout(set = 0, binding = 1) uniform sampler2D panorama;
layout(push_constant) uniform Push {
    mat4 inverse;   // of view and projection
    float blur;     // 0 … 1
    float sharp;    // 1: from the panorama
    float rotation;
    float light;    // its strength, exposed
} push;

const float PI = 3.14159265358979;
#include "panorama.glsl"
#include "tone.glsl"

void main() {
    vec4 a = push.inverse * vec4(uv * 2.0 - 1.0, 0.0, 1.0);
    vec4 b = push.inverse * vec4(uv * 2.0 - 1.0, 0.5, 1.0);
    vec3 d = normalize(b.xyz / b.w - a.xyz / a.w);
    vec3 c;
    if (push.sharp > 0.5) {
        float step = length(fwidth(d)) * float(textureSize(panorama, 0).x) / (2.0 * PI);
        c = textureLod(panorama, panoramaUV(d, push.rotation), max(log2(step), 0.0)).rgb;
    } else {
        c = textureLod(radiance, d, push.blur * float(textureQueryLevels(radiance) - 1)).rgb;
    }
    color = vec4(toneMap(c * push.light), 1.0);
}
