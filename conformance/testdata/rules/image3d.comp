#version 460
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler3D
#define AT at.xyz
#define D(v) v.xyz
#define I(v) v.xyz
#define RESULT(v) v
#include "../image.glsl"
