// What fragments of materials get: the vertex's outputs, the frame's camera, light and lights,
// and what materials of all kinds do with them. Included by the shaders of materials; pass.frag has
// the frame's block, too.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 tangent;
layout(location = 3) in vec4 uv01;
layout(location = 4) in vec4 uv23;
layout(location = 5) in vec4 color;

layout(location = 0) out vec4 outColor;

layout(set = 0, binding = 0) uniform Frame {
    mat4 viewProjection;
    vec4 eye;            // xyz: where it is; or with w = 0 the direction to it from everywhere
    vec4 irradiance[9];  // spherical harmonics
    ivec4 counts;        // x = lights
    vec4 scale;          // x = the document's units in a unit of positions, y = the environment's strength,
                         // z = by what light is multiplied before tones are mapped, w = 1 / z
} frame;
layout(set = 0, binding = 1) uniform samplerCube radiance; // level = roughness · (levels − 1)
layout(set = 0, binding = 2) uniform sampler2D brdf;

// The direction to the eye.
vec3 towardsEye() { return normalize(frame.eye.xyz - frame.eye.w * position); }

struct Light {
    vec4 color;     // rgb · intensity; w = kind: 0 directional, 1 point, 2 spot
    vec4 position;  // xyz; w = 1 / range² (0: unlimited)
    vec4 direction; // xyz, from the light; w unused
    vec4 cone;      // x = scale, y = offset of the angular attenuation
};
layout(std430, set = 0, binding = 3) readonly buffer Lights { Light lights[]; };

const float PI = 3.14159265358979;

// The direction in which radiance is looked up. Its lobes lie evenly around a mirror's direction; those of a rough
// surface end at its horizon and lean to its normal.
vec3 mirrored(vec3 v, vec3 n, float roughness) { return mix(reflect(-v, n), n, roughness * roughness); }

vec3 diffuseLight(vec3 n) {
    vec3 c = frame.irradiance[0].rgb * 0.282095;
    c += frame.irradiance[1].rgb * (0.488603 * n.y);
    c += frame.irradiance[2].rgb * (0.488603 * n.z);
    c += frame.irradiance[3].rgb * (0.488603 * n.x);
    c += frame.irradiance[4].rgb * (1.092548 * n.x * n.y);
    c += frame.irradiance[5].rgb * (1.092548 * n.y * n.z);
    c += frame.irradiance[6].rgb * (0.315392 * (3.0 * n.z * n.z - 1.0));
    c += frame.irradiance[7].rgb * (1.092548 * n.x * n.z);
    c += frame.irradiance[8].rgb * (0.546274 * (n.x * n.x - n.y * n.y));
    return max(c, vec3(0.0));
}

// Light arriving from one punctual light (KHR_lights_punctual); l: towards it.
vec3 incoming(Light light, out vec3 l) {
    if (light.color.w < 0.5) {
        l = -light.direction.xyz;
        return light.color.rgb;
    }
    vec3 to = light.position.xyz - position;
    float d2 = max(dot(to, to), 1e-20); // of the scene's size, which a light may be far nearer than
    l = to * inversesqrt(d2);
    float falloff = 1.0 / d2;
    float reach = d2 * light.position.w;
    falloff *= clamp(1.0 - reach * reach, 0.0, 1.0);
    if (light.color.w > 1.5) {
        float a = clamp(dot(light.direction.xyz, -l) * light.cone.x + light.cone.y, 0.0, 1.0);
        falloff *= a * a;
    }
    return light.color.rgb * falloff;
}

#include "tone.glsl"
