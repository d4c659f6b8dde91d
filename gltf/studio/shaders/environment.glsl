// The built-in studio: a neutral room with a bright ceiling, a darker floor and
// three soft boxes. direction: unit vector, +y up. Returns linear radiance.
// Included by the shaders that sample it.
#ifndef ENVIRONMENT_GLSL
#define ENVIRONMENT_GLSL

const float PI = 3.14159265358979;

#ifdef IMAGE
// A user's environment as a cube with levels; environmentAt reads one of them, 0 the sharpest.
layout(set = 0, binding = 0) uniform samplerCube source;

vec3 environmentAt(vec3 d, float lod) { return textureLod(source, d, lod).rgb; }
vec3 environment(vec3 d) { return environmentAt(d, 0.0); }

// The level whose texels are as large as so much of the sphere.
float levelOf(float solidAngle) {
    float size = float(textureSize(source, 0).x);
    return max(0.5 * log2(solidAngle * 6.0 * size * size / (4.0 * PI)), 0.0);
}
#else
// A soft box: a rectangle of half extents size on the plane at unit distance
// along axis, with a soft edge.
float softBox(vec3 d, vec3 axis, vec2 size, float edge) {
    float along = dot(d, axis);
    vec3 right = normalize(cross(vec3(0.0, 1.0, 0.0), axis));
    vec3 up = cross(axis, right);
    vec2 p = abs(vec2(dot(d, right), dot(d, up)) / max(along, 1e-4)) - size;
    float outside = length(max(p, 0.0)) + min(max(p.x, p.y), 0.0);
    return along > 0.0 ? 1.0 - smoothstep(-edge, edge, outside) : 0.0;
}

vec3 environment(vec3 d) {
    float h = d.y;
    vec3 wall = mix(vec3(0.42, 0.42, 0.44), vec3(0.66, 0.67, 0.70), smoothstep(-0.1, 0.7, h));
    vec3 floorColor = vec3(0.20, 0.195, 0.19);
    vec3 c = mix(floorColor, wall, smoothstep(-0.25, 0.05, h));
    c += vec3(4.6, 4.5, 4.3) * softBox(d, normalize(vec3(-0.75, 0.65, 0.9)), vec2(0.55, 0.45), 0.12);
    c += vec3(1.5, 1.6, 1.75) * softBox(d, normalize(vec3(1.0, 0.25, 0.55)), vec2(0.35, 0.75), 0.15);
    c += vec3(3.2, 3.25, 3.4) * softBox(d, normalize(vec3(0.35, 0.55, -1.0)), vec2(0.85, 0.25), 0.12);
    c += vec3(0.9) * smoothstep(0.75, 0.98, h);
    return c;
}

#define environmentAt(d, lod) environment(d)
#endif

// The radical inverse in base 2: the second coordinate of a Hammersley point.
float radicalInverse(uint i) { return float(bitfieldReverse(i)) * 2.3283064365386963e-10; }

// A half vector distributed as the GGX normals around +z, alpha = roughness².
vec3 sampleGGX(uint i, uint count, float alpha) {
    float u = (float(i) + 0.5) / float(count);
    float phi = 2.0 * PI * radicalInverse(i);
    float cosTheta = sqrt((1.0 - u) / (1.0 + (alpha * alpha - 1.0) * u));
    float sinTheta = sqrt(max(0.0, 1.0 - cosTheta * cosTheta));
    return vec3(cos(phi) * sinTheta, sin(phi) * sinTheta, cosTheta);
}

#endif
