#version 450
#extension GL_GOOGLE_include_directive : require
#include "environment.glsl"
// One face of one level of the prefiltered environment: radiance filtered by
// the GGX lobe of the level's roughness, view direction = normal. With SHEEN
// it is the lobe of sheen; with IMAGE the environment is a user's.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

layout(push_constant) uniform Push {
    int face;       // Vulkan cube face: +x, -x, +y, -y, +z, -z
    float roughness;
    uint count;     // samples; 1 gives the environment itself
} push;

#ifdef SHEEN
#include "sheen.glsl"

// A half vector distributed as the normals of sheen's fibres.
vec3 sampleHalf(uint i, uint count, float alpha) {
    float u = (float(i) + 0.5) / float(count);
    float phi = 2.0 * PI * radicalInverse(i);
    float sinTheta = pow(u, alpha / (2.0 * alpha + 1.0));
    return vec3(cos(phi) * sinTheta, sin(phi) * sinTheta, sqrt(max(1.0 - sinTheta * sinTheta, 0.0)));
}
#define distribution charlie
#else
#define sampleHalf sampleGGX
float distribution(float alpha, float nh) {
    float q = nh * nh * (alpha * alpha - 1.0) + 1.0;
    return alpha * alpha / (PI * q * q);
}
#endif

#include "face.glsl"

void main() {
    vec3 n = normalize(faceDirection(push.face, uv));
    if (push.count <= 1u) {
        color = vec4(environment(n), 1.0);
        return;
    }
    vec3 side = normalize(cross(abs(n.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0), n));
    vec3 up = cross(n, side);
    float alpha = push.roughness * push.roughness;
    vec3 sum = vec3(0.0);
    float weight = 0.0;
    for (uint i = 0u; i < push.count; i++) {
        vec3 h = sampleHalf(i, push.count, alpha);
        vec3 l = vec3(2.0 * h.z * h.x, 2.0 * h.z * h.y, 2.0 * h.z * h.z - 1.0); // reflect +z about h
        if (l.z > 0.0) {
            vec3 d = side * l.x + up * l.y + n * l.z;
#ifdef IMAGE
            // A sample stands for 1 / (count · density) of the sphere, its density being distribution · n·h / (4 · v·h); four times as much is smoother.
            sum += environmentAt(d, levelOf(4.0 / (float(push.count) * distribution(alpha, h.z))) + 1.0) * l.z;
#else
            sum += environment(d) * l.z;
#endif
            weight += l.z;
        }
    }
    color = vec4(sum / max(weight, 1e-4), 1.0);
}
