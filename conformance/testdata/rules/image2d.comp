#version 460
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler2D
#define AT at.xy
#define D(v) v.xy
#define I(v) v.xy
#define RESULT(v) v
#define GATHER textureGather(image, AT)
#define QUERY at.xy
#define SIZED(v) vec3(v, 0)
#include "../image.glsl"
