// One instruction on an image of any format for each lane, results as words: what testdata/rules/table*.comp share.
// They define SAMPLED or STORED, the type of the image, and BITS(v) and VALUE(v), its texels as words and back; of kinds of images other than
// 2D FETCHED or PLACE, where a texel is.
#extension GL_EXT_shader_image_load_formatted : require

layout(local_size_x = 64) in;

struct Lane {
	uvec4 at; // coordinates, or the texel to store
	vec4 dx; // w: level of detail
	vec4 dy;
	ivec4 texel; // w: level, or sample
};
layout(std430, binding = 0) readonly buffer Lanes { Lane lanes[]; };
layout(std430, binding = 1) writeonly buffer Results { uvec4 results[]; };
#ifdef SAMPLED
layout(binding = 2) uniform SAMPLED image;
#else
layout(binding = 2) uniform STORED image;
#endif
layout(push_constant) uniform Push {
	int how;
	int count;
};

#ifndef PLACE
#define PLACE l.texel.xy
#endif

void main() {
	Lane l = lanes[int(gl_GlobalInvocationID.x) % count];
	vec2 at = uintBitsToFloat(l.at.xy);
	uvec4 r = uvec4(77);
	switch (how) {
#if defined(FETCHED)
	case 1:
		r = BITS(texelFetch(image, FETCHED));
		break;
#elif defined(SAMPLED)
	case 0:
		r = BITS(textureLod(image, at, l.dx.w));
		break;
	case 1:
		r = BITS(texelFetch(image, l.texel.xy, l.texel.w));
		break;
	case 2:
		r = BITS(textureGather(image, at, 0));
		break;
	case 3:
		r = BITS(textureGather(image, at, 1));
		break;
	case 4:
		r = BITS(textureGather(image, at, 2));
		break;
	case 5:
		r = BITS(textureGather(image, at, 3));
		break;
#else
	case 6:
		r = BITS(imageLoad(image, PLACE));
		break;
	case 7:
		imageStore(image, PLACE, VALUE(l.at));
		break;
#endif
	}
	results[gl_GlobalInvocationID.x] = r;
}
