#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
// Subgroups in a control shader: four invocations, of one patch or two.
layout(vertices = 3) out;
layout(location = 0) out uint sum[];
void main() {
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	sum[gl_InvocationID] = subgroupAdd(1u << gl_SubgroupInvocationID);
	gl_TessLevelOuter[gl_InvocationID] = 2;
	gl_TessLevelInner[0] = 2;
}
