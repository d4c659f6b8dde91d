#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { uint v[]; } outs;
layout(set = 0, binding = 1) uniform Inline { uvec4 a; } block;
layout(set = 0, binding = 2) uniform sampler2D picture; // with an immutable sampler
layout(set = 1, binding = 0) uniform usamplerBuffer texels;
layout(set = 1, binding = 3) buffer In { uint v; } ins[];
layout(push_constant) uniform Push { uint n; };
void main() {
    outs.v[0] = block.a.y;
    outs.v[1] = uint(textureLod(picture, vec2(0.5), 0.0).x * 255.0);
    outs.v[2] = texelFetch(texels, 1).x;
    for (uint i = 0; i < n; i++) outs.v[3 + i] = ins[i].v;
}
