#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform Uniform { uint v; } uniforms[2];
layout(set = 0, binding = 2) buffer Storage { uint v[]; } storage;
layout(set = 0, binding = 3) uniform usampler2D both;
layout(set = 0, binding = 4) uniform utexture2D image;
layout(set = 0, binding = 5) uniform sampler state;
layout(set = 0, binding = 6, r32ui) uniform uimage2D stored;
layout(set = 0, binding = 7) uniform utextureBuffer texels;
layout(set = 0, binding = 8, r32ui) uniform uimageBuffer cells;
layout(set = 0, binding = 9) uniform Inline { uvec4 v; } block;
layout(set = 1, binding = 0) buffer Out { uint v[10]; } outs;
void main() {
    outs.v[0] = uniforms[0].v;
    outs.v[1] = uniforms[1].v;
    outs.v[2] = storage.v[1];
    outs.v[3] = storage.v.length();
    outs.v[4] = textureLod(both, vec2(0.75, 0.5), 0.0).x;
    outs.v[5] = textureLod(usampler2D(image, state), vec2(0.75, 0.5), 0.0).x;
    outs.v[6] = imageLoad(stored, ivec2(1, 0)).x;
    outs.v[7] = texelFetch(texels, 1).x;
    outs.v[8] = imageLoad(cells, 1).x;
    outs.v[9] = block.v.y;
    storage.v[0] = 77;
    imageStore(stored, ivec2(0), uvec4(78));
    imageStore(cells, 0, uvec4(79));
}
