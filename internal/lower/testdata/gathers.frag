#version 450
#extension GL_ARB_sparse_texture2 : require
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) uniform sampler2DShadow depth;
layout(set = 0, binding = 2, r32f) readonly uniform image2D store;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color[9];

const ivec2 four[4] = ivec2[](ivec2(0, 0), ivec2(1, 0), ivec2(0, 1), ivec2(-1, -1));

// Gathers at four offsets, and each sparse instruction: its texel. The last is 1 where all codes say
// that texels had memory.
void main() {
	const vec2 middle = at + 0.5;
	const vec2 p = at + vec2(0.375, 0.625);
	color[0] = textureGatherOffsets(image, middle, four);
	color[1] = textureGatherOffsets(depth, middle, 0.115, four);
	vec4 t;
	float f;
	bool all = sparseTexelsResidentARB(sparseTextureARB(image, p, t));
	color[2].x = t.x;
	all = all && sparseTexelsResidentARB(sparseTextureLodARB(image, p.yx, 0.0, t));
	color[2].y = t.x;
	all = all && sparseTexelsResidentARB(sparseTexelFetchARB(image, ivec2(2, 3), 0, t));
	color[2].z = t.x;
	all = all && sparseTexelsResidentARB(sparseImageLoadARB(store, ivec2(3, 3), t));
	color[2].w = t.x;
	all = all && sparseTexelsResidentARB(sparseTextureARB(depth, vec3(p, 0.2), f));
	color[3].x = f;
	all = all && sparseTexelsResidentARB(sparseTextureARB(depth, vec3(p, 0.22), f));
	color[3].y = f;
	all = all && sparseTexelsResidentARB(sparseTextureLodARB(depth, vec3(p.yx, 0.11), 0.0, f));
	color[3].z = f;
	all = all && sparseTexelsResidentARB(sparseTextureLodARB(depth, vec3(p.yx, 0.13), 0.0, f));
	color[3].w = f;
	all = all && sparseTexelsResidentARB(sparseTextureGatherARB(image, middle, color[4]));
	all = all && sparseTexelsResidentARB(sparseTextureGatherARB(depth, middle, 0.115, color[5]));
	all = all && sparseTexelsResidentARB(sparseTextureGatherOffsetsARB(image, middle, four, color[6]));
	color[7] = vec4(all ? 1.0 : 0.0, textureGather(image, middle, 3).x, 0.0, 0.0);
	color[8] = textureGatherOffsets(image, middle, four, 3);
}
