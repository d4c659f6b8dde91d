#version 460
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler1DArray
#define AT at.xy
#define D(v) v.x
#define I(v) v.xy
#define RESULT(v) v
#define SIZED(v) vec3(v, 0)
#include "../image.glsl"
