#version 450
// What passes show of a model in the place of its picture: numbers of each fragment, as they are, with
// an alpha of 1.
layout(constant_id = 0) const bool HAS_BASE_COLOR = false;
layout(constant_id = 2) const bool HAS_NORMAL = false;
layout(constant_id = 7) const bool MASK = false;
layout(constant_id = 10) const uint SHOWN = 0u; // as passes.go has them

const uint DEPTH = 1u;
const uint NORMAL = 2u;
const uint ID = 3u;
const uint SURFACE = 4u;
const uint EDGE = 5u;
const uint ONE = 6u;

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 tangent;
layout(location = 3) in vec4 uv01;
layout(location = 4) in vec4 uv23;
layout(location = 5) in vec4 color;
layout(location = 0) out vec4 outColor;

layout(set = 0, binding = 0) uniform Frame { // frame.glsl's, and more
    mat4 viewProjection;
    vec4 eye;
    vec4 irradiance[9];
    ivec4 counts;
    vec4 scale;
    vec4 along; // of a position, the distance from the eye along the view: dot(xyz, position) + w
} frame;

struct TextureUse {
    vec4 row0;
    vec4 row1;
};
// The beginning of the block of pbr.frag, or with LAYERS of layers.frag.
layout(set = 1, binding = 0) uniform Material {
    vec4 baseColor;
    vec4 emissive;
    vec4 factors; // z = normal scale
    vec4 alpha;   // x = cutoff
#ifdef LAYERS
    vec4 layers[8];
#endif
    TextureUse use[3];
} material;
layout(set = 1, binding = 1) uniform sampler2D baseColorTexture;
layout(set = 1, binding = 3) uniform sampler2D normalTexture;

layout(push_constant) uniform Push { layout(offset = 112) float id; } push; // behind mesh.vert's

vec2 textureUV(int i) {
    TextureUse t = material.use[i];
    vec2 lower = t.row0.w < 0.5 ? uv01.xy : uv01.zw;
    vec2 upper = t.row0.w < 2.5 ? uv23.xy : uv23.zw;
    vec3 uv = vec3(t.row0.w < 1.5 ? lower : upper, 1.0);
    return vec2(dot(t.row0.xyz, uv), dot(t.row1.xyz, uv));
}

// The normal that materials are lit by; zero where there is none.
vec3 shadingNormal() {
    if (dot(normal, normal) == 0.0) return vec3(0.0);
    vec3 n = normalize(normal);
    if (HAS_NORMAL) {
        vec3 t = normalize(tangent.xyz - n * dot(n, tangent.xyz));
        vec3 b = cross(n, t) * tangent.w;
        vec3 m = texture(normalTexture, textureUV(2)).xyz * 2.0 - 1.0;
        m.xy *= material.factors.z;
        n = normalize(t * m.x + b * m.y + n * m.z);
    }
    return gl_FrontFacing ? n : -n;
}

void main() {
    if (MASK) {
        float a = material.baseColor.a * color.a;
        if (HAS_BASE_COLOR) a *= texture(baseColorTexture, textureUV(0)).a;
        if (a < material.alpha.x) discard;
    }
    vec3 c = vec3(1.0);
    if (SHOWN == DEPTH) c = vec3(dot(frame.along.xyz, position) + frame.along.w);
    if (SHOWN == NORMAL) c = shadingNormal();
    if (SHOWN == ID) c = vec3(push.id);
    if (SHOWN == SURFACE) { // light grey, darker where it turns away
        vec3 v = normalize(frame.eye.xyz - frame.eye.w * position);
        c = vec3(mix(0.35, 0.85, abs(dot(shadingNormal(), v))));
    }
    if (SHOWN == EDGE) c = vec3(0.01);
    outColor = vec4(c, 1.0);
}
