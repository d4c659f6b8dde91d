#version 460
#extension GL_GOOGLE_include_directive : require
#define IMAGE samplerCubeArray
#define AT at
#define D(v) v.xyz
#define RESULT(v) v
#define GATHER textureGather(image, AT)
#define QUERY at.xyz
#define SIZED(v) vec3(v)
#include "../image.glsl"
