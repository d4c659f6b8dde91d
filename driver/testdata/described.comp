#version 450

// One word of each kind of buffer that a descriptor may be of.

layout(local_size_x = 1) in;

layout(set = 0, binding = 0) uniform Uniform { uint u; };
layout(set = 0, binding = 1) buffer Out { uint words[8]; };
layout(set = 0, binding = 2) uniform usamplerBuffer texels;
layout(set = 0, binding = 3, r32ui) uniform uimageBuffer image;
layout(set = 0, binding = 4) buffer Null { uint none[]; };

void main() {
	words[0] = u;
	words[1] = texelFetch(texels, 1).x;
	words[2] = textureSize(texels);
	words[3] = imageLoad(image, 1).x;
	words[4] = imageSize(image);
	words[5] = none[0];
	words[6] = 7;
}
