#version 450
#extension GL_AMD_texture_gather_bias_lod : require
#extension GL_ARB_sparse_texture2 : require
layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) in vec2 at;
layout(location = 1) in flat float level;
layout(location = 0) out vec4 color[4];

// Gathers of the base level, of a level, with a bias, and a sparse one of a level.
void main() {
	color[0] = textureGather(image, at);
	color[1] = textureGatherLodAMD(image, at, level);
	color[2] = textureGather(image, at, 0, level);
	sparseTextureGatherLodAMD(image, at, level, color[3]);
}
