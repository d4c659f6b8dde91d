#version 460
#extension GL_ARB_sparse_texture2 : require
#extension GL_ARB_sparse_texture_clamp : require
// Sparse instructions give what the ordinary ones give, and a residency code of which resident texels are made.
//! image 0 2 2 rgba32f f32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
//! sampler 0 linear
//! image 1 2 2 d32 f32 0.1 0.5 0.5 0.9
//! sampler 1 linear less
//! image 2 2 2 r32f f32 1 2 3 4
//! color 0 f32 7 5 7 1 7 5 7 1 7 5 7 1 7 5 7 1
//! color 1 f32 0.75 1 4 1 0.75 1 4 1 0.75 1 4 1 0.75 1 4 1
layout(binding = 0) uniform sampler2D s;
layout(binding = 1) uniform sampler2DShadow d;
layout(binding = 2, r32f) readonly uniform image2D m;
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
void main() {
	vec4 t = vec4(0), u = vec4(0), v = vec4(0), w = vec4(0);
	float f = 0, g = 0, h = 0;
	int all = 1;
	all &= int(sparseTexelsResidentARB(sparseTextureARB(s, vec2(0.5), t)));
	all &= int(sparseTexelsResidentARB(sparseTextureLodARB(s, vec2(0.5), 0.0, v)));
	all &= int(sparseTexelsResidentARB(sparseTexelFetchARB(s, ivec2(1, 0), 0, u)));
	all &= int(sparseTexelsResidentARB(sparseTextureARB(d, vec3(0.5, 0.5, 0.3), f)));
	all &= int(sparseTexelsResidentARB(sparseTextureLodARB(d, vec3(0.5, 0.5, 0.3), 0.0, h)));
	vec4 gathered = vec4(0), compared = vec4(0);
	all &= int(sparseTexelsResidentARB(sparseTextureGatherARB(s, vec2(0.5), gathered)));
	all &= int(sparseTexelsResidentARB(sparseTextureGatherARB(d, vec2(0.5), 0.3, compared)));
	all &= int(sparseTexelsResidentARB(sparseImageLoadARB(m, ivec2(1, 1), w)));
	a = vec4(t.x, u.x, v.x, all);
	b = vec4(f, compared.x, w.x, h == f && gathered.x == 9 ? 1 : 0);
}
