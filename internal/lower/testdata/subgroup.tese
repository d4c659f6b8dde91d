#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_quad : require
// Subgroups in an evaluation shader.
layout(triangles) in;
layout(location = 0) in uint sum[];
layout(location = 0) out uint least;
void main() {
	gl_Position = subgroupQuadSwapHorizontal(gl_in[0].gl_Position * gl_TessCoord.x);
	least = subgroupMin(sum[0] + gl_SubgroupSize);
}
