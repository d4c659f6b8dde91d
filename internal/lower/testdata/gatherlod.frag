#version 450
#extension GL_AMD_texture_gather_bias_lod : require
#extension GL_AMD_shader_image_load_store_lod : require
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1, rgba8) uniform image2D store;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() {
	color = textureGather(image, uv, 1, 0.5) + textureGatherLodAMD(image, uv, 1.0, 2) + imageLoadLodAMD(store, ivec2(uv), 1);
	imageStoreLodAMD(store, ivec2(uv), 2, color);
}
