#version 450
#extension GL_GOOGLE_include_directive : require
// The albedo of white sheen: x = cosine of the view angle, y = roughness.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

const float PI = 3.14159265358979;
#include "sheen.glsl"

const uint RINGS = 64u;
const uint SPOKES = 32u; // over half a turn: the other half is the same

void main() {
    float nv = max(uv.x, 1e-3);
    float alpha = uv.y * uv.y;
    vec3 v = vec3(sqrt(1.0 - nv * nv), 0.0, nv);
    float sum = 0.0;
    for (uint r = 0u; r < RINGS; r++) {
        float nl = (float(r) + 0.5) / float(RINGS); // equal areas
        float s = sqrt(1.0 - nl * nl);
        for (uint j = 0u; j < SPOKES; j++) {
            float phi = PI * (float(j) + 0.5) / float(SPOKES);
            vec3 h = normalize(v + vec3(s * cos(phi), s * sin(phi), nl));
            sum += charlie(alpha, h.z) * sheenVisibility(alpha, nl, nv) * nl;
        }
    }
    color = vec4(min(sum * (2.0 * PI / float(RINGS * SPOKES)), 1.0), 0.0, 0.0, 1.0);
}
