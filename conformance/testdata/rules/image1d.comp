#version 460
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler1D
#define AT at.x
#define D(v) v.x
#define I(v) v.x
#define RESULT(v) v
#define SIZED(v) vec3(v, 0, 0)
#include "../image.glsl"
