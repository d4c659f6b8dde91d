#version 460
#extension GL_ARB_sparse_texture2 : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Writes to pages with and without memory, in every way that there is, and reads
// back in the same invocation.
layout(local_size_x = 1) in;
layout(buffer_reference, std430) buffer Word { uint v; };
layout(set = 0, binding = 0) buffer Out { uint v[]; } outs;
layout(set = 0, binding = 1) buffer Sparse { uint v[]; } cells;       // pages 0, 1, …
layout(set = 0, binding = 2, r32ui) uniform uimage2D picture;        // a block a page: 128×128
layout(set = 0, binding = 3) uniform usampler2D texels;              // the same
layout(push_constant) uniform Push { uint64_t address; uint words; }; // words of a page
void main() {
    uint k = gl_GlobalInvocationID.x; // page
    uint at = k * words, o = 8 * k;
    outs.v[o] = cells.v[at];
    cells.v[at] = 5;
    atomicAdd(cells.v[at], 6);
    outs.v[o + 1] = cells.v[at];
    Word w = Word(address + 4 * (at + 1));
    w.v = 7;
    outs.v[o + 2] = w.v;
    ivec2 place = ivec2(3, 128 * k + 127);
    imageStore(picture, place, uvec4(8));
    outs.v[o + 3] = imageAtomicAdd(picture, place, 1);
    uvec4 texel;
    int code = sparseTexelFetchARB(texels, place, 0, texel);
    outs.v[o + 4] = texel.x;
    outs.v[o + 5] = sparseTexelsResidentARB(code) ? 1 : 0;
    code = sparseTextureGatherARB(texels, (vec2(place) + 1.0) / textureSize(texels, 0), texel);
    outs.v[o + 6] = sparseTexelsResidentARB(code) ? 1 : 0; // this block and the next
}
