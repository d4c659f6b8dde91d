// A sparse instruction beside its twin for each lane, with their residency code: what testdata/rules/sparse*.comp share. They define IMAGE, the
// sampler's type, T, its result's, and of AT (coordinates), LOD, D(v) (components of a derivative), GATHER and FETCH what there is.
#extension GL_ARB_sparse_texture2 : require
#extension GL_NV_compute_shader_derivatives : require

layout(local_size_x = 64) in;
layout(derivative_group_linearNV) in;

struct Lane {
	vec4 at;
	vec4 dx; // w: level of detail, or bias
	vec4 dy; // w: reference
	ivec4 texel; // w: level
};
layout(std430, binding = 0) readonly buffer Lanes { Lane lanes[]; };
// What is not the same in the bits of a component, the code, whether that is resident, and the first component.
layout(std430, binding = 1) writeonly buffer Results { uvec4 results[]; };
layout(binding = 2) uniform IMAGE image;
layout(push_constant) uniform Push {
	int how;
	int count;
};

void main() {
	Lane l = lanes[int(gl_GlobalInvocationID.x) % count];
	vec4 at = l.at;
	T a = T(0), b = T(1);
	int code = -1;
	switch (how) {
	case 0:
		a = textureLod(image, AT, l.dx.w);
		code = sparseTextureLodARB(image, AT, l.dx.w, b);
		break;
	case 1:
		a = textureGrad(image, AT, D(l.dx), D(l.dy));
		code = sparseTextureGradARB(image, AT, D(l.dx), D(l.dy), b);
		break;
	case 2:
		a = texture(image, AT);
		code = sparseTextureARB(image, AT, b);
		break;
	case 3:
		a = texture(image, AT, l.dx.w);
		code = sparseTextureARB(image, AT, b, l.dx.w);
		break;
	case 4:
#ifdef FETCH
		a = texelFetch(image, FETCH, l.texel.w);
		code = sparseTexelFetchARB(image, FETCH, l.texel.w, b);
#endif
		break;
	case 5: {
		vec4 c, d;
#ifdef COMPARES
		c = textureGather(image, at.xy, l.dy.w);
		code = sparseTextureGatherARB(image, at.xy, l.dy.w, d);
#else
		c = textureGather(image, at.xy, 0);
		code = sparseTextureGatherARB(image, at.xy, d, 0);
#endif
		a = T(c);
		b = T(d);
		if (c != d)
			code = -2;
		break;
	}
	case 6: // of a code that is given
		code = floatBitsToInt(at.x);
		a = b;
		break;
	}
	vec4 x = vec4(a), y = vec4(b);
	uvec4 off = floatBitsToUint(x) ^ floatBitsToUint(y);
	results[gl_GlobalInvocationID.x] = uvec4(off.x | off.y | off.z | off.w, code, sparseTexelsResidentARB(code) ? 1 : 0, floatBitsToUint(x.x));
}
