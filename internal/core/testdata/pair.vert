#version 450
// A vertex shader of some 500 instructions, as a renderer has them: skinning,
// morph targets, wind, lights at vertices and shadow coordinates.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 tangent;
layout(location = 3) in vec2 uv;
layout(location = 4) in uvec4 joints;
layout(location = 5) in vec4 weights;
layout(location = 0) out vec3 outPosition;
layout(location = 1) out vec3 outNormal;
layout(location = 2) out vec4 outTangent;
layout(location = 3) out vec2 outUV;
layout(location = 4) out vec3 outLight;
layout(location = 5) out vec4 outShadow[2];
struct Light { vec4 position; vec4 color; vec4 cone; };
layout(set = 0, binding = 0) uniform Scene {
    mat4 view, projection, shadow[2];
    Light lights[4];
    vec4 fog, wind;
    float time;
} scene;
layout(set = 0, binding = 1) readonly buffer Bones { mat4 bones[]; };
layout(set = 0, binding = 2) readonly buffer Morph { vec4 deltas[]; };
layout(push_constant) uniform Object { mat4 model; vec4 morph; uint count, flags; } object;

vec3 lit(Light l, vec3 p, vec3 n) {
    vec3 to = l.position.xyz - p * l.position.w;
    float d2 = dot(to, to);
    vec3 dir = to * inversesqrt(max(d2, 1e-6));
    float cone = smoothstep(l.cone.x, l.cone.y, dot(-dir, normalize(l.cone.zww)));
    float fall = mix(1.0, 1.0 / (1.0 + d2 * l.color.a), l.position.w);
    return l.color.rgb * max(dot(n, dir), 0.0) * fall * mix(1.0, cone, l.cone.w);
}

vec3 sway(vec3 p, float phase) {
    float a = sin(scene.time * scene.wind.w + phase + p.x * 0.7) * 0.5 + 0.5;
    float b = cos(scene.time * scene.wind.w * 1.7 + phase * 2.0 + p.z * 1.3);
    return p + scene.wind.xyz * (a * a * (3.0 - 2.0 * a) + b * 0.125) * clamp(p.y, 0.0, 4.0);
}

void main() {
    vec3 p = position, n = normal, t = tangent.xyz;
    for (uint i = 0; i < min(object.count, 4u); i++) {
        uint at = (uint(gl_VertexIndex) * 4u + i) * 2u;
        p += deltas[at].xyz * object.morph[i];
        n += deltas[at + 1u].xyz * object.morph[i];
    }
    if ((object.flags & 1u) != 0u) {
        mat4 skin = bones[joints.x] * weights.x + bones[joints.y] * weights.y + bones[joints.z] * weights.z + bones[joints.w] * weights.w;
        p = (skin * vec4(p, 1.0)).xyz;
        n = mat3(skin) * n;
        t = mat3(skin) * t;
    }
    if ((object.flags & 2u) != 0u) {
        p = sway(p, float(gl_InstanceIndex) * 0.618);
    }
    vec4 world = object.model * vec4(p, 1.0);
    mat3 m = mat3(object.model);
    mat3 cofactors = mat3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1]));
    n = normalize(cofactors * n);
    t = normalize(m * t - n * dot(n, m * t));
    vec3 light = vec3(0.0);
    light += lit(scene.lights[0], world.xyz, n);
    light += lit(scene.lights[1], world.xyz, n);
    light += lit(scene.lights[2], world.xyz, n);
    light += lit(scene.lights[3], world.xyz, n);
    vec4 seen = scene.view * world;
    float haze = 1.0 - exp2(-scene.fog.w * length(seen.xyz));
    outPosition = world.xyz;
    outNormal = n;
    outTangent = vec4(t, tangent.w);
    outUV = (object.flags & 4u) != 0u ? vec2(uv.x, 1.0 - uv.y) : uv;
    outLight = mix(light, scene.fog.rgb, clamp(haze, 0.0, 1.0));
    outShadow[0] = scene.shadow[0] * world;
    outShadow[1] = scene.shadow[1] * world;
    gl_Position = scene.projection * seen;
}
