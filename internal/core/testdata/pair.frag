#version 450
// A fragment shader of some 500 instructions: a physically based material with
// textures, shadows and a table of tones.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 tangent;
layout(location = 3) in vec2 uv;
layout(location = 4) in vec3 light;
layout(location = 5) in vec4 shadow[2];
layout(location = 0) out vec4 color;
layout(set = 1, binding = 0) uniform sampler2D albedoMap;
layout(set = 1, binding = 1) uniform sampler2D normalMap;
layout(set = 1, binding = 2) uniform sampler2D roughMap;
layout(set = 1, binding = 3) uniform samplerCube skyMap;
layout(set = 1, binding = 4) uniform sampler2DShadow shadowMap;
layout(set = 1, binding = 5) uniform Material {
    vec4 albedo, emissive, sun, toSun, eye;
    float metal, rough, cutoff, exposure;
    uint flags;
} material;

float distribution(float nh, float a) {
    float a2 = a * a, f = (nh * a2 - nh) * nh + 1.0;
    return a2 / (3.14159265 * f * f);
}

float visibility(float nl, float nv, float a) {
    float a2 = a * a;
    return 0.5 / max(nl * sqrt(nv * nv * (1.0 - a2) + a2) + nv * sqrt(nl * nl * (1.0 - a2) + a2), 1e-5);
}

vec3 fresnel(vec3 f0, float c) {
    float x = 1.0 - c, x2 = x * x;
    return f0 + (1.0 - f0) * (x2 * x2 * x);
}

float lit(vec4 s) {
    vec3 p = s.xyz / s.w;
    if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) {
        return 1.0;
    }
    float sum = 0.0;
    for (int i = 0; i < 4; i++) {
        vec2 off = vec2(float(i & 1) - 0.5, float(i >> 1) - 0.5) / 1024.0;
        sum += texture(shadowMap, vec3(p.xy + off, p.z - 0.001));
    }
    return sum * 0.25;
}

vec3 tone(vec3 c) {
    c *= material.exposure;
    vec3 a = c * (c * 2.51 + 0.03), b = c * (c * 2.43 + 0.59) + 0.14;
    return clamp(a / b, 0.0, 1.0);
}

vec3 shade(vec3 n, vec3 v, vec3 l, vec3 radiance, vec3 base, vec3 f0, float rough) {
    vec3 h = normalize(v + l);
    float nl = clamp(dot(n, l), 0.0, 1.0), nv = abs(dot(n, v)) + 1e-5;
    float nh = clamp(dot(n, h), 0.0, 1.0), lh = clamp(dot(l, h), 0.0, 1.0);
    vec3 f = fresnel(f0, lh);
    vec3 specular = f * distribution(nh, rough) * visibility(nl, nv, rough);
    vec3 diffuse = base * (1.0 - f) / 3.14159265;
    return (diffuse + specular) * radiance * nl;
}

void main() {
    vec4 albedo = texture(albedoMap, uv) * material.albedo;
    if ((material.flags & 1u) != 0u && albedo.a < material.cutoff) {
        discard;
    }
    vec3 n = normalize(normal), t = normalize(tangent.xyz), b = cross(n, t) * tangent.w;
    if ((material.flags & 2u) != 0u) {
        vec3 m = texture(normalMap, uv).xyz * 2.0 - 1.0;
        n = normalize(t * m.x + b * m.y + n * m.z);
    }
    vec2 mr = texture(roughMap, uv).bg * vec2(material.metal, material.rough);
    float rough = clamp(mr.y * mr.y, 0.002, 1.0);
    vec3 base = albedo.rgb * (1.0 - mr.x), f0 = mix(vec3(0.04), albedo.rgb, mr.x);
    vec3 v = normalize(material.eye.xyz - position);
    float seen = min(lit(shadow[0]), lit(shadow[1]));
    vec3 sum = shade(n, v, normalize(material.toSun.xyz), material.sun.rgb * seen, base, f0, rough);
    vec3 sky = textureLod(skyMap, reflect(-v, n), rough * 6.0).rgb;
    sum += sky * fresnel(f0, clamp(dot(n, v), 0.0, 1.0)) * (1.0 - rough * 0.5);
    sum += base * (light + textureLod(skyMap, n, 6.0).rgb * 0.3);
    sum += material.emissive.rgb * material.emissive.a;
    color = vec4(tone(sum), (material.flags & 4u) != 0u ? albedo.a : 1.0);
}
