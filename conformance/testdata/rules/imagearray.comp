#version 460
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler2DArray
#define AT at.xyz
#define D(v) v.xy
#define I(v) v.xyz
#define RESULT(v) v
#define GATHER textureGather(image, AT)
#define SIZED(v) vec3(v)
#include "../image.glsl"
