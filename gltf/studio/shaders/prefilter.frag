#version 450
#extension GL_GOOGLE_include_directive : require
#include "environment.glsl"
// One face of one level of the prefiltered environment: radiance filtered by
// the GGX lobe of the level's roughness, view direction = normal.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

layout(push_constant) uniform Push {
    int face;       // Vulkan cube face: +x, -x, +y, -y, +z, -z
    float roughness;
    uint count;     // samples; 1 gives the environment itself
} push;

vec3 faceDirection(int face, vec2 st) {
    vec2 p = st * 2.0 - 1.0;
    switch (face) {
    case 0: return vec3(1.0, -p.y, -p.x);
    case 1: return vec3(-1.0, -p.y, p.x);
    case 2: return vec3(p.x, 1.0, p.y);
    case 3: return vec3(p.x, -1.0, -p.y);
    case 4: return vec3(p.x, -p.y, 1.0);
    default: return vec3(-p.x, -p.y, -1.0);
    }
}

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
        vec3 h = sampleGGX(i, push.count, alpha);
        vec3 l = vec3(2.0 * h.z * h.x, 2.0 * h.z * h.y, 2.0 * h.z * h.z - 1.0); // reflect +z about h
        if (l.z > 0.0) {
            sum += environment(side * l.x + up * l.y + n * l.z) * l.z;
            weight += l.z;
        }
    }
    color = vec4(sum / max(weight, 1e-4), 1.0);
}
