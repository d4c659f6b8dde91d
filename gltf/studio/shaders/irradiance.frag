#version 450
#extension GL_GOOGLE_include_directive : require
#include "environment.glsl"
// The studio's light on a diffuse surface as second-order spherical harmonics:
// pixel k of a 9×1 target holds coefficient k, already convolved with the
// cosine lobe and divided by pi, so that the shader's sum is exit radiance for
// albedo 1.
layout(location = 0) out vec4 color;

const uint RINGS = 48u;
const uint SPOKES = 96u;
#ifdef IMAGE
#define LEVEL levelOf(4.0 * PI / float(RINGS * SPOKES))
#endif

float harmonic(int k, vec3 d) {
    switch (k) {
    case 0: return 0.282095;
    case 1: return 0.488603 * d.y;
    case 2: return 0.488603 * d.z;
    case 3: return 0.488603 * d.x;
    case 4: return 1.092548 * d.x * d.y;
    case 5: return 1.092548 * d.y * d.z;
    case 6: return 0.315392 * (3.0 * d.z * d.z - 1.0);
    case 7: return 1.092548 * d.x * d.z;
    default: return 0.546274 * (d.x * d.x - d.y * d.y);
    }
}

void main() {
    int k = int(gl_FragCoord.x);
    vec3 sum = vec3(0.0);
    for (uint r = 0u; r < RINGS; r++) {
        float z = 1.0 - (2.0 * float(r) + 1.0) / float(RINGS); // equal areas
        float s = sqrt(1.0 - z * z);
        for (uint j = 0u; j < SPOKES; j++) {
            float phi = 2.0 * PI * (float(j) + 0.5) / float(SPOKES);
            vec3 d = vec3(s * cos(phi), z, s * sin(phi));
            sum += environmentAt(d, LEVEL) * harmonic(k, d);
        }
    }
    float lobe = k == 0 ? 1.0 : (k < 4 ? 2.0 / 3.0 : 0.25);
    color = vec4(sum * (4.0 * PI / float(RINGS * SPOKES)) * lobe, 1.0);
}
