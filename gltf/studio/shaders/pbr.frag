#version 450
#extension GL_GOOGLE_include_directive : require
// The metallic-roughness material of glTF 2.0 under the studio and the
// document's lights. Output is premultiplied, tone mapped, linear.
layout(constant_id = 0) const bool HAS_BASE_COLOR = false;
layout(constant_id = 1) const bool HAS_METALLIC_ROUGHNESS = false;
layout(constant_id = 2) const bool HAS_NORMAL = false;
layout(constant_id = 3) const bool HAS_OCCLUSION = false;
layout(constant_id = 4) const bool HAS_EMISSIVE = false;
layout(constant_id = 5) const bool OCCLUSION_IS_RED_OF_MR = false; // one image serves both
layout(constant_id = 6) const bool UNLIT = false;
layout(constant_id = 7) const bool MASK = false;
layout(constant_id = 8) const bool OPAQUE = true;
layout(constant_id = 9) const bool HAS_LIGHTS = false;
layout(constant_id = 10) const bool BEHIND = false; // what is unlit shines as if its tones were mapped, too
layout(constant_id = 31) const bool LINEAR = false; // tones are not mapped

#include "frame.glsl"

struct TextureUse {
    vec4 row0; // u' = dot(row0.xyz, (u, v, 1)); w = UV slot
    vec4 row1;
};
layout(set = 1, binding = 0) uniform Material {
    vec4 baseColor;
    vec4 emissive;    // rgb · strength
    vec4 factors;     // metallic, roughness, normal scale, occlusion strength
    vec4 alpha;       // x = cutoff
    TextureUse use[5];
} material;
layout(set = 1, binding = 1) uniform sampler2D baseColorTexture;
layout(set = 1, binding = 2) uniform sampler2D metallicRoughnessTexture;
layout(set = 1, binding = 3) uniform sampler2D normalTexture;
layout(set = 1, binding = 4) uniform sampler2D occlusionTexture;
layout(set = 1, binding = 5) uniform sampler2D emissiveTexture;

vec2 textureUV(int i) {
    TextureUse t = material.use[i];
    vec2 lower = t.row0.w < 0.5 ? uv01.xy : uv01.zw;
    vec2 upper = t.row0.w < 2.5 ? uv23.xy : uv23.zw;
    vec3 uv = vec3(t.row0.w < 1.5 ? lower : upper, 1.0);
    return vec2(dot(t.row0.xyz, uv), dot(t.row1.xyz, uv));
}

void main() {
    vec4 base = material.baseColor * color;
    if (HAS_BASE_COLOR) base *= texture(baseColorTexture, textureUV(0));
    if (MASK && base.a < material.alpha.x) discard;
    float alpha = OPAQUE ? 1.0 : base.a;
    if (MASK) alpha = 1.0;

    vec3 emissive = material.emissive.rgb;
    if (HAS_EMISSIVE) emissive *= texture(emissiveTexture, textureUV(4)).rgb;

    if (UNLIT) {
        outColor = vec4((BEHIND ? beforeToneMap(base.rgb) : base.rgb) * alpha, alpha);
        return;
    }

    float metallic = material.factors.x;
    float roughness = material.factors.y;
    float occlusion = 1.0;
    if (HAS_METALLIC_ROUGHNESS) {
        vec4 mr = texture(metallicRoughnessTexture, textureUV(1));
        metallic *= mr.b;
        roughness *= mr.g;
        if (OCCLUSION_IS_RED_OF_MR) occlusion = 1.0 + material.factors.w * (mr.r - 1.0);
    }
    if (HAS_OCCLUSION) occlusion = 1.0 + material.factors.w * (texture(occlusionTexture, textureUV(3)).r - 1.0);
    roughness = clamp(roughness, 0.04, 1.0);

    vec3 n = normalize(normal);
    if (HAS_NORMAL) {
        vec3 t = normalize(tangent.xyz - n * dot(n, tangent.xyz));
        vec3 b = cross(n, t) * tangent.w;
        vec3 m = texture(normalTexture, textureUV(2)).xyz * 2.0 - 1.0;
        m.xy *= material.factors.z;
        n = normalize(t * m.x + b * m.y + n * m.z);
    }
    if (!gl_FrontFacing) n = -n;

    vec3 v = towardsEye();
    float nv = clamp(abs(dot(n, v)), 1e-3, 1.0);
    vec3 albedo = base.rgb * (1.0 - metallic);
    vec3 f0 = mix(vec3(0.04), base.rgb, metallic);

    // Image-based light: the split sum, with the energy of multiple bounces.
    vec2 ab = texture(brdf, vec2(nv, roughness)).xy;
    vec3 single = f0 * ab.x + ab.y;
    float levels = float(textureQueryLevels(radiance) - 1);
    vec3 specular = textureLod(radiance, mirrored(v, n, roughness), roughness * levels).rgb * single;
    float lost = 1.0 - (ab.x + ab.y);
    vec3 average = f0 + (1.0 - f0) * (1.0 / 21.0);
    vec3 multiple = single * average * lost / (1.0 - lost * average);
    // glTF mixes a metal and a dielectric: what is diffuse lies below the dielectric's reflection alone.
    float d0 = 0.04;
    float singleAbove = d0 * ab.x + ab.y;
    float averageAbove = d0 + (1.0 - d0) * (1.0 / 21.0);
    float multipleAbove = singleAbove * averageAbove * lost / (1.0 - lost * averageAbove);
    vec3 light = diffuseLight(n);
    vec3 c = (specular + (multiple + albedo * (1.0 - singleAbove - multipleAbove)) * light) * (occlusion * frame.scale.y);

    if (HAS_LIGHTS) {
        float a2 = roughness * roughness * roughness * roughness;
        for (int i = 0; i < frame.counts.x; i++) {
            vec3 l;
            vec3 e = incoming(lights[i], l);
            float nl = dot(n, l);
            if (nl > 0.0) {
                vec3 h = normalize(l + v);
                float nh = clamp(dot(n, h), 0.0, 1.0);
                float vh = clamp(dot(v, h), 0.0, 1.0);
                float q = nh * nh * (a2 - 1.0) + 1.0;
                float distribution = a2 / (PI * q * q);
                float visibility = 0.5 / (nl * sqrt(nv * nv * (1.0 - a2) + a2) + nv * sqrt(nl * nl * (1.0 - a2) + a2));
                float p = pow(1.0 - vh, 5.0);
                vec3 fresnel = f0 + (1.0 - f0) * p;
                c += e * nl * (fresnel * (distribution * visibility) + albedo * (1.0 - (d0 + (1.0 - d0) * p)) * (1.0 / PI));
            }
        }
    }
    c += emissive;
    outColor = vec4(toneMap(c * frame.scale.z) * alpha, alpha);
}
