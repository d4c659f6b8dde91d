#version 460
#extension GL_GOOGLE_include_directive : require
#define IMAGE samplerCubeShadow
#define AT vec4(at.xyz, l.dy.w)
#define D(v) v.xyz
#define NO_LOD
#define RESULT(v) vec4(v)
#define GATHER textureGather(image, at.xyz, l.dy.w)
#include "../image.glsl"
