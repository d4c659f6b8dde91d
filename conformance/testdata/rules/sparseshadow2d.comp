#version 460
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler2DShadow
#define T float
#define AT vec3(at.xy, l.dy.w)
#define D(v) v.xy
#define COMPARES
#include "../sparse.glsl"
