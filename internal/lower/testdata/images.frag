#version 450
#extension GL_EXT_nonuniform_qualifier : enable
#extension GL_EXT_samplerless_texture_functions : enable
layout(location = 0) in vec4 c;
layout(location = 1) flat in ivec4 ic;
layout(location = 2) in float arr[6];
layout(location = 8) centroid noperspective in vec2 cen;
layout(set = 0, binding = 0) uniform sampler2D t2[4];
layout(set = 0, binding = 1) uniform texture2D tex;
layout(set = 0, binding = 2) uniform sampler smp;
layout(set = 0, binding = 3) uniform samplerShadow smpS;
layout(set = 0, binding = 4) uniform samplerCubeArray cubes;
layout(set = 0, binding = 5) uniform sampler2DMS ms;
layout(set = 0, binding = 6) uniform isamplerBuffer tb;
layout(set = 0, binding = 7, rgba8) uniform image2D img;
layout(set = 0, binding = 8, r32ui) uniform uimage2DArray cnt;
layout(set = 0, binding = 9) uniform sampler2DArrayShadow sh;
layout(set = 0, binding = 10) uniform usampler3D t3;
layout(set = 1, binding = 0) uniform sampler2D bindless[];
layout(location = 0) out vec4 o;
layout(location = 1) out uvec2 o1[2];
layout(depth_less) out float gl_FragDepth;
vec4 through(sampler2D s, vec2 uv) { return texture(s, uv); }
void main() {
    vec4 r = texture(t2[1], c.xy);
    r += texture(t2[ic.x], c.xy, 0.5);
    r += textureLod(sampler2D(tex, smp), c.xy, 2.0);
    r += textureGrad(sampler2D(tex, smp), c.xy, c.zw, cen);
    r += textureProj(t2[0], c.xyz) + textureProj(t2[0], c);
    r += textureOffset(t2[0], c.xy, ivec2(1, -1));
    r.x += texture(sampler2DShadow(tex, smpS), c.xyz);
    r.y += textureLod(sampler2DShadow(tex, smpS), c.xyz, 0.0) + texture(sh, c);
    r += texture(cubes, c);
    r += texelFetch(ms, ic.xy, 3) + vec4(texelFetch(tb, ic.z)) + texelFetch(t2[0], ic.xy, 1);
    r += textureGather(t2[0], c.xy, 2) + textureGatherOffsets(t2[0], c.xy, ivec2[](ivec2(0), ivec2(1), ivec2(2), ivec2(3)));
    r += imageLoad(img, ic.xy);
    imageStore(img, ic.zw, r);
    uint old = imageAtomicAdd(cnt, ic.xyz, 3u) + imageAtomicCompSwap(cnt, ic.xyz, 1u, 2u);
    r.z += float(old) + float(textureSize(t2[0], 1).y + textureSize(cubes, 0).z + imageSize(cnt).z + textureSize(tb));
    r.w += textureQueryLod(t2[0], c.xy).y + float(textureQueryLevels(tex) + textureSamples(ms));
    r += vec4(texture(t3, c.xyz));
    r += texture(bindless[nonuniformEXT(ic.y)], c.xy) + through(t2[2], c.xy);
    r.x += arr[ic.w] + interpolateAtCentroid(c).y + interpolateAtSample(c.zw, 1).x + interpolateAtOffset(cen, vec2(0.25)).y;
    r.y += dFdx(c.x) + dFdyCoarse(c.y) + fwidth(c.z);
    o = r;
    o1[ic.x & 1] = uvec2(1, 2);
    gl_FragDepth = r.x;
    gl_SampleMask[0] = gl_SampleMaskIn[0] & 5;
    if (gl_FrontFacing) o.x += gl_FragCoord.w + gl_PointCoord.x + float(gl_SampleID) + float(gl_HelperInvocation);
}
