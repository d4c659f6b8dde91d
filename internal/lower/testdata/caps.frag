#version 450
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_ARB_sparse_texture_clamp : require
#extension GL_ARB_shader_stencil_export : require
#extension GL_EXT_multiview : require
#extension GL_EXT_shader_image_load_formatted : require
#extension GL_EXT_samplerless_texture_functions : require
layout(location = 0) in vec4 c;
layout(location = 1) flat in int k;
layout(set = 0, binding = 0) uniform U { vec4 v; } ub[4];
layout(set = 0, binding = 1) buffer B { vec4 v; } sb[4];
layout(set = 0, binding = 2) uniform sampler2D t[4];
layout(set = 0, binding = 3, rgba32f) uniform image2D im[4];
layout(set = 0, binding = 4) uniform samplerBuffer tb[4];
layout(set = 0, binding = 5, r32f) uniform imageBuffer ib[4];
layout(set = 0, binding = 6) uniform sampler1D one;
layout(set = 0, binding = 7, rg16f) uniform image1D one2;
layout(set = 0, binding = 8, r32f) uniform imageCubeArray cubes;
layout(set = 0, binding = 9, r32f) uniform image2DMSArray many;
layout(set = 0, binding = 10) uniform writeonly image2D anyFormat;
layout(set = 0, binding = 11) uniform readonly image2D anyRead;
layout(set = 0, binding = 12, input_attachment_index = 0) uniform subpassInput sp[2];
layout(location = 0) out vec4 o;
void main() {
    vec4 r = ub[k].v + sb[k].v + texture(t[k], c.xy) + imageLoad(im[k], ivec2(k)) + texelFetch(tb[k], k) + imageLoad(ib[k], k);
    r += ub[nonuniformEXT(k)].v + sb[nonuniformEXT(k)].v + texture(t[nonuniformEXT(k)], c.xy) + imageLoad(im[nonuniformEXT(k)], ivec2(k))
        + texelFetch(tb[nonuniformEXT(k)], k) + imageLoad(ib[nonuniformEXT(k)], k);
    r += subpassLoad(sp[k]) + subpassLoad(sp[nonuniformEXT(k)]);
    r += texture(one, c.x) + imageLoad(one2, k) + imageLoad(cubes, ivec3(k)) + imageLoad(many, ivec3(k), 2) + imageLoad(anyRead, ivec2(k));
    imageStore(anyFormat, ivec2(k), r);
    imageStore(many, ivec3(k), 1, r);
    r += textureClampARB(t[0], c.xy, 1.5) + dFdxFine(c) + fwidthCoarse(c);
    r.x += gl_ClipDistance[1] + gl_CullDistance[0] + float(gl_PrimitiveID + gl_Layer + gl_ViewportIndex + gl_ViewIndex + gl_SampleID);
    gl_FragStencilRefARB = k;
    gl_SampleMask[0] = gl_SampleMaskIn[0] & k;
    o = r;
}
