#version 460
// What rasterization tells fragments.
#extension GL_EXT_fragment_shader_barycentric : require
#extension GL_NV_conservative_raster_underestimation : require
#extension GL_EXT_fragment_shading_rate : require
layout(location = 0) pervertexEXT in vec2 each[3];
layout(location = 1) flat in int which;
layout(location = 0) out vec4 color;
void main() {
	vec2 sum = vec2(0);
	for (int k = 0; k < 3; k++)
		sum += each[k] * gl_BaryCoordEXT[k] + each[which] * gl_BaryCoordNoPerspEXT[k];
	color = vec4(sum, gl_FragFullyCoveredNV ? 1.0 : 0.0, float(gl_ShadingRateEXT));
}
