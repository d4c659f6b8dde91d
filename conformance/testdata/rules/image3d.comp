#version 460
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler3D
#define AT at.xyz
#define D(v) v.xyz
#define I(v) v.xyz
#define RESULT(v) v
#define SIZED(v) vec3(v)
#include "../image.glsl"
