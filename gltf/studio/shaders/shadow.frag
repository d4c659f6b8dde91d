#version 450
// Sets the bit of the direction from which light does not come here. What lets part of the light
// through keeps off that part of the directions.
layout(constant_id = 0) const bool HAS_BASE_COLOR = false;
layout(constant_id = 7) const bool MASK = false;
layout(constant_id = 8) const bool OPAQUE = true;

layout(location = 0) in vec4 uv01;
layout(location = 1) in vec4 uv23;
layout(location = 2) in float alpha;
layout(location = 3) flat in int direction;
layout(location = 0) out uvec4 bits;

struct TextureUse {
    vec4 row0;
    vec4 row1;
};
// The beginning of the block of pbr.frag, or with LAYERS of layers.frag.
layout(set = 1, binding = 0) uniform Material {
    vec4 baseColor;
    vec4 emissive;
    vec4 factors;
    vec4 cutoff; // x
#ifdef LAYERS
    vec4 layers[4];
    vec4 transmission; // x = factor
    vec4 more[3];
#endif
    TextureUse use;
} material;
layout(set = 1, binding = 1) uniform sampler2D baseColorTexture;

void main() {
    float a = material.baseColor.a * alpha;
    if (HAS_BASE_COLOR) {
        TextureUse t = material.use;
        vec2 lower = t.row0.w < 0.5 ? uv01.xy : uv01.zw;
        vec2 upper = t.row0.w < 2.5 ? uv23.xy : uv23.zw;
        vec3 uv = vec3(t.row0.w < 1.5 ? lower : upper, 1.0);
        a *= texture(baseColorTexture, vec2(dot(t.row0.xyz, uv), dot(t.row1.xyz, uv))).a;
    }
    if (MASK && a < material.cutoff.x) discard;
    float share = OPAQUE ? 1.0 : a;
#ifdef LAYERS
    share *= 1.0 - 0.9 * material.transmission.x; // what is reflected does not come through
#endif
    // Shares of directions that are spread over all of them.
    if (float(bitfieldReverse(uint(direction))) * 2.3283064365386963e-10 >= share) discard;
    uint bit = 1u << (direction & 31);
    int word = direction >> 5;
    bits = uvec4(word == 0 ? bit : 0u, word == 1 ? bit : 0u, word == 2 ? bit : 0u, word == 3 ? bit : 0u);
}
