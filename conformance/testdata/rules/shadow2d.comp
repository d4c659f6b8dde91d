#version 460
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler2DShadow
#define AT vec3(at.xy, l.dy.w)
#define D(v) v.xy
#define RESULT(v) vec4(v)
#define GATHER textureGather(image, at.xy, l.dy.w)
#include "../image.glsl"
