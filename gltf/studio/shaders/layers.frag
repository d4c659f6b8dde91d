#version 450
#extension GL_GOOGLE_include_directive : require
// Materials with extensions, in the order of their layers: what is diffuse or let through,
// the reflection over it, sheen over both, clearcoat over all. Output is premultiplied, tone
// mapped, linear. Formulas are those of the extensions' specifications; where they leave light
// from all sides open, it is what pbr.frag does with it.
layout(constant_id = 0) const uint TEXTURES = 0u; // bit i: textures[i] below is there
layout(constant_id = 1) const uint LAYERS = 0u;
layout(constant_id = 2) const bool OCCLUSION_IS_RED_OF_MR = false;
layout(constant_id = 7) const bool MASK = false;
layout(constant_id = 8) const bool OPAQUE = true;
layout(constant_id = 9) const bool HAS_LIGHTS = false;
layout(constant_id = 31) const bool LINEAR = false;

#include "frame.glsl"

// Bits of LAYERS, as in layers.go.
const uint CLEARCOAT = 1u;
const uint SHEEN = 2u;
const uint IRIDESCENCE = 4u;
const uint ANISOTROPY = 8u;
const uint TRANSMISSION = 16u;
const uint VOLUME = 32u;
const uint DIFFUSE_TRANSMISSION = 64u;
const uint SPECULAR_GLOSSINESS = 128u;
const uint DISPERSION = 256u;

struct TextureUse {
    vec4 row0; // u' = dot(row0.xyz, (u, v, 1)); w = UV slot
    vec4 row1;
};
layout(set = 1, binding = 0) uniform Material {
    vec4 baseColor;
    vec4 emissive;            // rgb · strength
    vec4 factors;             // metallic, roughness (or glossiness), normal scale, occlusion strength
    vec4 alpha;               // x = cutoff
    vec4 specular;            // rgb colour; w = factor
    vec4 sheen;               // rgb colour; w = roughness
    vec4 clearcoat;           // factor, roughness, normal scale
    vec4 attenuation;         // rgb left of white after a way of 1 / w
    vec4 transmission;        // factor, thickness, index of refraction, dispersion
    vec4 iridescence;         // factor, index of refraction, least and most thickness in nm
    vec4 anisotropy;          // strength, cosine and sine of the rotation
    vec4 diffuseTransmission; // rgb colour; w = factor
    TextureUse use[19];
} material;
layout(set = 1, binding = 1) uniform sampler2D baseColorTexture; // or diffuse
layout(set = 1, binding = 2) uniform sampler2D metallicRoughnessTexture; // or specular and glossiness
layout(set = 1, binding = 3) uniform sampler2D normalTexture;
layout(set = 1, binding = 4) uniform sampler2D occlusionTexture;
layout(set = 1, binding = 5) uniform sampler2D emissiveTexture;
layout(set = 1, binding = 6) uniform sampler2D clearcoatTexture;
layout(set = 1, binding = 7) uniform sampler2D clearcoatRoughnessTexture;
layout(set = 1, binding = 8) uniform sampler2D clearcoatNormalTexture;
layout(set = 1, binding = 9) uniform sampler2D sheenColorTexture;
layout(set = 1, binding = 10) uniform sampler2D sheenRoughnessTexture;
layout(set = 1, binding = 11) uniform sampler2D specularTexture;
layout(set = 1, binding = 12) uniform sampler2D specularColorTexture;
layout(set = 1, binding = 13) uniform sampler2D transmissionTexture;
layout(set = 1, binding = 14) uniform sampler2D thicknessTexture;
layout(set = 1, binding = 15) uniform sampler2D iridescenceTexture;
layout(set = 1, binding = 16) uniform sampler2D iridescenceThicknessTexture;
layout(set = 1, binding = 17) uniform sampler2D anisotropyTexture;
layout(set = 1, binding = 18) uniform sampler2D diffuseTransmissionTexture;
layout(set = 1, binding = 19) uniform sampler2D diffuseTransmissionColorTexture;

layout(set = 2, binding = 0) uniform samplerCube sheenRadiance; // as radiance, for the distribution of sheen
layout(set = 2, binding = 1) uniform sampler2D sheenAlbedo;     // by n·v and roughness
layout(set = 2, binding = 2) uniform sampler2D behind;          // the opaque scene, linear, exposed, premultiplied, with levels

layout(push_constant) uniform Push { mat4 world; vec4 normal0; } push; // the beginning of mesh.vert's

bool has(int i) { return (TEXTURES & 1u << i) != 0u; }
bool layer(uint bit) { return (LAYERS & bit) != 0u; }
float sq(float x) { return x * x; }
float max3(vec3 c) { return max(c.r, max(c.g, c.b)); }
float schlick5(float cosTheta) { return pow(1.0 - clamp(cosTheta, 0.0, 1.0), 5.0); }

vec2 textureUV(int i) {
    TextureUse t = material.use[i];
    vec2 lower = t.row0.w < 0.5 ? uv01.xy : uv01.zw;
    vec2 upper = t.row0.w < 2.5 ? uv23.xy : uv23.zw;
    vec3 uv = vec3(t.row0.w < 1.5 ? lower : upper, 1.0);
    return vec2(dot(t.row0.xyz, uv), dot(t.row1.xyz, uv));
}

// What the layers are made of at this fragment.
struct Surface {
    vec3 v, n;          // to the eye; shading normal towards it
    float nv;
    vec3 base;          // colour of what is diffuse or let through
    float body;         // how much of it: not metallic
    float alpha;        // roughness²
    float roughness;
    float blur;         // roughness as seen through the surface, which may be 0
    vec3 f0, f90;       // reflection at and along the normal
    vec3 bodyF0, bodyF90, metalF0; // of the dielectric part alone, and of the metal
    vec3 along, across; // anisotropy: the direction drawn out, and the other
    float alphaAlong;
    float transmission, thickness, ior;
    vec3 throughColor;  // diffuse transmission
    float through;
    vec3 sheen;
    float sheenRoughness;
    float coat, coatRoughness;
    vec3 coatNormal;
};

// Iridescence: the reflection of a thin film (Belcour and Barla 2017, as the extension has it).
vec3 sensitivity(float path, vec3 shift) {
    float phase = 2.0 * PI * path * 1e-9;
    const vec3 val = vec3(5.4856e-13, 4.4201e-13, 5.2481e-13);
    const vec3 pos = vec3(1.6810e6, 1.7953e6, 2.2084e6);
    const vec3 var = vec3(4.3278e9, 9.3046e9, 6.6121e9);
    vec3 xyz = val * sqrt(2.0 * PI * var) * cos(pos * phase + shift) * exp(-sq(phase) * var);
    xyz.x += 9.7470e-14 * sqrt(2.0 * PI * 4.5282e9) * cos(2.2399e6 * phase + shift.x) * exp(-4.5282e9 * sq(phase));
    const mat3 toRGB = mat3(3.2404542, -0.9692660, 0.0556434, -1.5371385, 1.8760108, -0.2040259, -0.4985314, 0.0415560, 1.0572252);
    return toRGB * (xyz / 1.0685e-7);
}

vec3 thinFilm(float outside, float film, float cos1, float thickness, vec3 baseF0) {
    film = mix(outside, film, smoothstep(0.0, 0.03, thickness)); // no film, no reflection of it
    float sin2 = sq(outside / film) * (1.0 - sq(cos1));
    if (sin2 >= 1.0) return vec3(1.0);
    float cos2 = sqrt(1.0 - sin2);
    float r0 = sq((film - outside) / (film + outside));
    float r12 = r0 + (1.0 - r0) * schlick5(cos1);
    float t121 = 1.0 - r12;
    vec3 root = sqrt(clamp(baseF0, 0.0, 0.9999));
    vec3 baseIOR = (1.0 + root) / (1.0 - root);
    vec3 r1 = (baseIOR - film) / (baseIOR + film);
    r1 *= r1;
    vec3 r23 = r1 + (1.0 - r1) * schlick5(cos2);
    vec3 shift = vec3(film < outside ? 0.0 : PI) + mix(vec3(0.0), vec3(PI), lessThan(baseIOR, vec3(film)));
    vec3 r123 = clamp(r12 * r23, 1e-5, 0.9999);
    vec3 rs = t121 * t121 * r23 / (1.0 - r123);
    vec3 sum = r12 + rs;
    vec3 c = rs - t121;
    float path = 2.0 * film * thickness * cos2;
    for (int m = 1; m <= 2; m++) {
        c *= sqrt(r123);
        sum += c * 2.0 * sensitivity(float(m) * path, float(m) * shift);
    }
    return clamp(sum, 0.0, 1.0);
}

// The reflection at normal incidence of which Schlick's formula makes f at this angle.
vec3 normalIncidence(vec3 f, float cosTheta) {
    float p = min(schlick5(cosTheta), 0.9999);
    return clamp((f - p) / (1.0 - p), 0.0, 1.0);
}

// What a volume leaves of white light after a way (Beer's law).
vec3 absorbed(float way) {
    return layer(VOLUME) ? pow(max(material.attenuation.rgb, 1e-6), vec3(way * frame.scale.x * material.attenuation.w)) : vec3(1.0);
}

// The mesh's units in the world's, by axis. Squares stay within the range of numbers.
vec3 worldScales() {
    float f = push.normal0.w;
    return vec3(length(push.world[0].xyz * f), length(push.world[1].xyz * f), length(push.world[2].xyz * f)) / f;
}

float worldScale() {
    vec3 s = worldScales();
    return (s.x + s.y + s.z) / 3.0;
}

// The way that light takes through the volume, from where it leaves the surface.
vec3 throughVolume(Surface s, float ior) {
    return normalize(refract(-s.v, s.n, 1.0 / ior)) * s.thickness * worldScales();
}

// A level of the scene behind, smoothed: the weights of a cubic B-spline in four reads.
vec4 smoothLevel(vec2 uv, float lod) {
    vec2 size = vec2(textureSize(behind, int(lod)));
    vec2 at = uv * size - 0.5;
    vec2 f = fract(at);
    at -= f;
    vec2 w0 = (1.0 - f) * (1.0 - f) * (1.0 - f) / 6.0;
    vec2 w1 = (4.0 - 6.0 * f * f + 3.0 * f * f * f) / 6.0;
    vec2 w3 = f * f * f / 6.0;
    vec2 w2 = 1.0 - w0 - w1 - w3;
    vec2 low = w0 + w1, high = w2 + w3;
    vec2 a = (at - 0.5 + w1 / low) / size, b = (at + 1.5 + w3 / high) / size;
    return low.y * (low.x * textureLod(behind, a, lod) + high.x * textureLod(behind, vec2(b.x, a.y), lod)) +
        high.y * (low.x * textureLod(behind, vec2(a.x, b.y), lod) + high.x * textureLod(behind, b, lod));
}

vec4 sceneBehind(vec3 place, float roughness, float ior) {
    vec4 clip = frame.viewProjection * vec4(place, 1.0);
    vec2 uv = clip.xy / clip.w * 0.5 + 0.5;
    float lod = log2(float(textureSize(behind, 0).x)) * roughness * clamp(ior * 2.0 - 2.0, 0.0, 1.0);
    if (lod <= 0.0) return textureLod(behind, uv, 0.0);
    float whole = floor(lod);
    float most = float(textureQueryLevels(behind) - 1);
    return mix(smoothLevel(uv, min(whole, most)), smoothLevel(uv, min(whole + 1.0, most)), lod - whole);
}

// Light that comes through the surface; a = how much of it there is a scene behind for.
vec4 transmitted(Surface s) {
    float spread = layer(DISPERSION) ? (s.ior - 1.0) * 0.025 * material.transmission.w : 0.0;
    if (spread == 0.0) {
        vec3 way = throughVolume(s, s.ior);
        vec4 light = sceneBehind(position + way, s.blur, s.ior);
        light.rgb *= absorbed(length(way));
        return light;
    }
    vec4 light = vec4(0.0);
    for (int i = 0; i < 3; i++) {
        float ior = max(s.ior + float(i - 1) * spread, 1.0);
        vec3 way = throughVolume(s, ior);
        vec4 c = sceneBehind(position + way, s.blur, ior);
        light[i] = c[i] * absorbed(length(way))[i];
        light.a += c.a / 3.0;
    }
    return light;
}

// Light from all sides reflected, once and more often, by roughness and angle.
void reflectance(vec3 f0, vec3 f90, vec2 ab, out vec3 single, out vec3 multiple) {
    single = f0 * ab.x + f90 * ab.y;
    float lost = 1.0 - (ab.x + ab.y);
    vec3 average = f0 + (f90 - f0) * (1.0 / 21.0);
    multiple = single * average * lost / (1.0 - lost * average);
}

// The normal around which light is mirrored.
vec3 facing(Surface s) {
    vec3 n = s.n;
    if (layer(ANISOTROPY)) { // bent to where the drawn-out highlight lies
        vec3 bent = cross(cross(s.across, s.v), s.across);
        float strength = sqrt(clamp((s.alphaAlong - s.alpha) / max(1.0 - s.alpha, 1e-4), 0.0, 1.0));
        float keep = 1.0 - strength * (1.0 - s.roughness);
        n = normalize(mix(bent, s.n, keep * keep * keep * keep));
    }
    return n;
}

// Light from all sides, of which the environment's share is known; a = the share of what is behind that passes.
vec4 fromEnvironment(Surface s, float share) {
    float levels = float(textureQueryLevels(radiance) - 1);
    vec2 ab = texture(brdf, vec2(s.nv, s.roughness)).xy;
    vec3 single, multiple, metalSingle, metalMultiple;
    reflectance(s.bodyF0, s.bodyF90, ab, single, multiple);
    float weight = s.body * max(1.0 - max3(single + multiple), 0.0);
    reflectance(s.metalF0, vec3(1.0), ab, metalSingle, metalMultiple);
    single = mix(metalSingle, single, s.body);
    multiple = mix(metalMultiple, multiple, s.body);

    vec3 light = diffuseLight(s.n);
    vec3 below = s.base * light;
    if (layer(DIFFUSE_TRANSMISSION)) {
        vec3 back = s.throughColor * diffuseLight(-s.n) * absorbed(s.thickness * worldScale());
        below = mix(below, back, s.through);
    }
    float passes = 0.0;
    vec3 let = vec3(0.0);
    if (layer(TRANSMISSION)) {
        vec4 t = transmitted(s);
        let = t.rgb * s.base * (s.transmission * weight * frame.scale.w);
        below *= 1.0 - s.transmission;
        vec3 clear = s.base * absorbed(s.thickness * worldScale());
        passes = s.transmission * weight * (1.0 - t.a) * (clear.r + clear.g + clear.b) / 3.0;
    }
    vec3 specular = textureLod(radiance, mirrored(s.v, facing(s), s.roughness), s.roughness * levels).rgb * single;
    vec3 c = (specular + multiple * light + below * weight) * share + let;
    vec3 r = reflect(-s.v, s.n);
    if (layer(SHEEN)) {
        float e = texture(sheenAlbedo, vec2(s.nv, s.sheenRoughness)).x;
        float keep = 1.0 - max3(s.sheen) * e;
        c = c * keep + s.sheen * e * share * textureLod(sheenRadiance, r, s.sheenRoughness * levels).rgb;
        passes *= keep;
    }
    if (layer(CLEARCOAT)) {
        float f = s.coat * (0.04 + 0.96 * schlick5(abs(dot(s.coatNormal, s.v))));
        vec3 coat = textureLod(radiance, mirrored(s.v, s.coatNormal, s.coatRoughness), s.coatRoughness * levels).rgb;
        c = mix(c, coat * share, f);
        passes *= 1.0 - f;
    }
    return vec4(c, passes);
}

// GGX: distribution · visibility.
float ggx(float a, float nl, float nv, float nh) {
    float a2 = a * a;
    float q = nh * nh * (a2 - 1.0) + 1.0;
    return a2 / (PI * q * q) * 0.5 / (nl * sqrt(nv * nv * (1.0 - a2) + a2) + nv * sqrt(nl * nl * (1.0 - a2) + a2));
}

float ggxAnisotropic(Surface s, vec3 l, vec3 h, float nl, float nh) {
    float at = s.alphaAlong, ab = s.alpha, a2 = at * ab;
    vec3 f = vec3(ab * dot(s.along, h), at * dot(s.across, h), a2 * nh);
    float w2 = a2 / dot(f, f);
    float gv = nl * length(vec3(at * dot(s.along, s.v), ab * dot(s.across, s.v), s.nv));
    float gl = s.nv * length(vec3(at * dot(s.along, l), ab * dot(s.across, l), nl));
    return a2 * w2 * w2 / PI * min(0.5 / (gv + gl), 1.0);
}

#include "sheen.glsl"

// Light from one direction l, in front or behind.
vec3 fromLight(Surface s, vec3 l, vec3 e) {
    float nl = dot(s.n, l);
    vec3 c = vec3(0.0);
    if (nl > 0.0) {
        vec3 h = normalize(l + s.v);
        float nh = clamp(dot(s.n, h), 0.0, 1.0), vh = clamp(dot(s.v, h), 0.0, 1.0);
        float lobe = layer(ANISOTROPY) ? ggxAnisotropic(s, l, h, nl, nh) : ggx(s.alpha, nl, s.nv, nh);
        float p = schlick5(vh);
        vec3 f = s.f0 + (s.f90 - s.f0) * p;
        float rest = s.body * (1.0 - max3(s.bodyF0 + (s.bodyF90 - s.bodyF0) * p));
        float diffuse = rest * (1.0 - s.transmission) * (1.0 - s.through) / PI;
        c = f * lobe + s.base * diffuse;
        if (layer(SHEEN)) {
            float keep = 1.0 - max3(s.sheen) * max(texture(sheenAlbedo, vec2(s.nv, s.sheenRoughness)).x,
                texture(sheenAlbedo, vec2(nl, s.sheenRoughness)).x);
            float a = s.sheenRoughness * s.sheenRoughness;
            c = c * keep + s.sheen * (charlie(a, nh) * sheenVisibility(a, nl, s.nv));
        }
        c *= nl;
        if (layer(CLEARCOAT)) {
            float cl = clamp(dot(s.coatNormal, l), 0.0, 1.0), cv = clamp(abs(dot(s.coatNormal, s.v)), 1e-3, 1.0);
            float ch = clamp(dot(s.coatNormal, h), 0.0, 1.0);
            c *= 1.0 - s.coat * (0.04 + 0.96 * schlick5(cv));
            c += s.coat * (0.04 + 0.96 * p) * ggx(s.coatRoughness * s.coatRoughness, max(cl, 1e-4), cv, ch) * cl;
        }
    } else if (layer(DIFFUSE_TRANSMISSION)) {
        float rest = s.body * (1.0 - max3(s.bodyF0)) * (1.0 - s.transmission) * s.through;
        c = s.throughColor * absorbed(s.thickness * worldScale()) * (rest * -nl / PI);
    }
    if (layer(TRANSMISSION)) { // the highlight of a light behind, mirrored to the front
        vec3 m = normalize(l + 2.0 * s.n * dot(-l, s.n));
        vec3 h = normalize(m + s.v);
        float a = s.alpha * clamp(s.ior * 2.0 - 2.0, 0.0, 1.0);
        if (nl < 0.0 && a > 0.0) {
            float rest = s.body * (1.0 - max3(s.bodyF0 + (s.bodyF90 - s.bodyF0) * schlick5(dot(s.v, h))));
            float lobe = ggx(a, dot(s.n, m), s.nv, clamp(dot(s.n, h), 0.0, 1.0));
            c += s.base * absorbed(s.thickness * worldScale()) * (s.transmission * rest * lobe * -nl);
        }
    }
    return c * e;
}

// A direction of tangent space, given by a texture, in the world.
vec3 fromTangentSpace(vec3 n, vec3 m) {
    vec3 t = normalize(tangent.xyz - n * dot(n, tangent.xyz));
    return normalize(t * m.x + cross(n, t) * tangent.w * m.y + n * m.z);
}

vec3 mapped(vec3 texel, float scale) {
    vec3 m = texel * 2.0 - 1.0;
    return vec3(m.xy * scale, m.z);
}

void reflection(inout Surface s, float metallic) {
    vec3 color = material.specular.rgb;
    float strength = material.specular.w;
    if (layer(SPECULAR_GLOSSINESS)) {
        s.bodyF0 = color;
        if (has(1)) s.bodyF0 *= texture(metallicRoughnessTexture, textureUV(1)).rgb;
        s.bodyF90 = vec3(1.0);
        s.base *= 1.0 - max3(s.bodyF0);
    } else {
        if (has(10)) strength *= texture(specularTexture, textureUV(10)).a;
        if (has(11)) color *= texture(specularColorTexture, textureUV(11)).rgb;
        float ior = material.transmission.z;
        float f0 = ior == 0.0 ? 1.0 : sq((ior - 1.0) / (ior + 1.0)); // 0 stands for infinity
        s.bodyF0 = min(f0 * color, vec3(1.0)) * strength;
        s.bodyF90 = vec3(strength);
    }
    s.metalF0 = s.base;
    if (layer(IRIDESCENCE)) {
        float factor = material.iridescence.x, thickness = material.iridescence.w;
        if (has(14)) factor *= texture(iridescenceTexture, textureUV(14)).r;
        if (has(15)) thickness = mix(material.iridescence.z, thickness, texture(iridescenceThicknessTexture, textureUV(15)).g);
        float outside = mix(1.0, 1.5, s.coat);
        vec3 film = thinFilm(outside, material.iridescence.y, s.nv, thickness, s.bodyF0);
        s.bodyF0 = mix(s.bodyF0, normalIncidence(film, s.nv), factor);
        film = thinFilm(outside, material.iridescence.y, s.nv, thickness, s.metalF0);
        s.metalF0 = mix(s.metalF0, normalIncidence(film, s.nv), factor);
    }
    s.f0 = mix(s.bodyF0, s.metalF0, metallic);
    s.f90 = mix(s.bodyF90, vec3(1.0), metallic);
    s.body = 1.0 - metallic;
}

void anisotropy(inout Surface s, vec3 n) {
    float strength = material.anisotropy.x;
    vec2 turn = material.anisotropy.yz;
    if (has(16)) {
        vec3 t = texture(anisotropyTexture, textureUV(16)).rgb;
        vec2 d = normalize(t.rg * 2.0 - 1.0);
        turn = vec2(d.x * turn.x - d.y * turn.y, d.x * turn.y + d.y * turn.x);
        strength *= t.b;
    }
    s.along = fromTangentSpace(n, vec3(turn, 0.0));
    s.across = normalize(cross(s.n, s.along));
    s.alphaAlong = mix(s.alpha, 1.0, strength * strength);
}

void main() {
    vec4 base = material.baseColor * color;
    if (has(0)) base *= texture(baseColorTexture, textureUV(0));
    if (MASK && base.a < material.alpha.x) discard;
    float alpha = OPAQUE || MASK ? 1.0 : base.a;

    vec3 emissive = material.emissive.rgb;
    if (has(4)) emissive *= texture(emissiveTexture, textureUV(4)).rgb;

    Surface s;
    float metallic = material.factors.x, occlusion = 1.0;
    s.roughness = material.factors.y;
    if (layer(SPECULAR_GLOSSINESS)) {
        if (has(1)) s.roughness *= texture(metallicRoughnessTexture, textureUV(1)).a;
        s.roughness = 1.0 - s.roughness;
    } else if (has(1)) {
        vec4 mr = texture(metallicRoughnessTexture, textureUV(1));
        metallic *= mr.b;
        s.roughness *= mr.g;
        if (OCCLUSION_IS_RED_OF_MR) occlusion = 1.0 + material.factors.w * (mr.r - 1.0);
    }
    if (has(3)) occlusion = 1.0 + material.factors.w * (texture(occlusionTexture, textureUV(3)).r - 1.0);
    s.blur = s.roughness;
    s.roughness = clamp(s.roughness, 0.04, 1.0);
    s.alpha = s.roughness * s.roughness;

    float side = gl_FrontFacing ? 1.0 : -1.0;
    vec3 n = normalize(normal);
    s.v = towardsEye();
    s.n = side * (has(2) ? fromTangentSpace(n, mapped(texture(normalTexture, textureUV(2)).xyz, material.factors.z)) : n);
    s.nv = clamp(abs(dot(s.n, s.v)), 1e-3, 1.0);
    s.base = base.rgb;

    s.coat = 0.0;
    if (layer(CLEARCOAT)) {
        s.coat = material.clearcoat.x;
        if (has(5)) s.coat *= texture(clearcoatTexture, textureUV(5)).r;
        s.coatRoughness = material.clearcoat.y;
        if (has(6)) s.coatRoughness *= texture(clearcoatRoughnessTexture, textureUV(6)).g;
        s.coatRoughness = clamp(s.coatRoughness, 0.04, 1.0);
        s.coatNormal = side * (has(7) ? fromTangentSpace(n, mapped(texture(clearcoatNormalTexture, textureUV(7)).xyz, material.clearcoat.z)) : n);
    }
    reflection(s, metallic);
    if (layer(ANISOTROPY)) anisotropy(s, n);
    if (layer(SHEEN)) {
        s.sheen = material.sheen.rgb;
        if (has(8)) s.sheen *= texture(sheenColorTexture, textureUV(8)).rgb;
        s.sheenRoughness = material.sheen.w;
        if (has(9)) s.sheenRoughness *= texture(sheenRoughnessTexture, textureUV(9)).a;
        s.sheenRoughness = clamp(s.sheenRoughness, 0.04, 1.0);
    }
    s.transmission = 0.0;
    s.thickness = 0.0;
    s.ior = material.transmission.z == 0.0 ? 1e6 : material.transmission.z;
    if (layer(TRANSMISSION)) {
        s.transmission = material.transmission.x;
        if (has(12)) s.transmission *= texture(transmissionTexture, textureUV(12)).r;
    }
    if (layer(VOLUME)) {
        s.thickness = material.transmission.y;
        if (has(13)) s.thickness *= texture(thicknessTexture, textureUV(13)).g;
    }
    s.through = 0.0;
    if (layer(DIFFUSE_TRANSMISSION)) {
        s.throughColor = material.diffuseTransmission.rgb;
        s.through = material.diffuseTransmission.w;
        if (has(17)) s.through *= texture(diffuseTransmissionTexture, textureUV(17)).a;
        if (has(18)) s.throughColor *= texture(diffuseTransmissionColorTexture, textureUV(18)).rgb;
    }

    vec4 all = fromEnvironment(s, occlusion * frame.scale.y);
    vec3 c = all.rgb;
    if (HAS_LIGHTS) {
        for (int i = 0; i < frame.counts.x; i++) {
            vec3 l;
            vec3 e = incoming(lights[i], l);
            c += fromLight(s, l, e);
        }
    }
    if (layer(CLEARCOAT)) emissive *= 1.0 - s.coat * (0.04 + 0.96 * schlick5(abs(dot(s.coatNormal, s.v))));
    c += emissive;
    c = toneMap(c * frame.scale.z);
    // Where nothing is behind, the picture stays open, but for what shines on the surface.
    float cover = max(1.0 - all.a, min(max3(c), 1.0));
    outColor = vec4(c, cover) * alpha;
}
