#version 450
#extension GL_GOOGLE_include_directive : require
#include "environment.glsl"
// The table of the split sum: x = cosine of the view angle, y = roughness;
// red scales F0, green is added. Smith-GGX visibility, as in pbr.frag.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

const uint COUNT = 64u;

void main() {
    float nv = max(uv.x, 1e-3);
    float alpha = uv.y * uv.y;
    vec3 v = vec3(sqrt(1.0 - nv * nv), 0.0, nv);
    float scale = 0.0;
    float bias = 0.0;
    for (uint i = 0u; i < COUNT; i++) {
        vec3 h = sampleGGX(i, COUNT, alpha);
        float vh = max(dot(v, h), 0.0);
        float nl = 2.0 * vh * h.z - v.z;
        if (nl > 0.0) {
            float a2 = alpha * alpha;
            float smith = 0.5 / (nl * sqrt(nv * nv * (1.0 - a2) + a2) + nv * sqrt(nl * nl * (1.0 - a2) + a2));
            float g = smith * 4.0 * nl * vh / h.z;
            float f = pow(1.0 - vh, 5.0);
            scale += g * (1.0 - f);
            bias += g * f;
        }
    }
    color = vec4(scale, bias, 0.0, 0.0) / float(COUNT);
}
