#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_quad : require
// What a vertex looks like depends on the others of its subgroup.
layout(triangles, fractional_even_spacing, ccw) in;
layout(location = 0) in vec4 tint[];
layout(location = 1) patch in vec4 middle;
layout(location = 0) out vec4 shade;
layout(location = 1) flat out uint mark;
void main() {
	vec3 c = gl_TessCoord;
	gl_Position = c.x * gl_in[0].gl_Position + c.y * gl_in[1].gl_Position + c.z * gl_in[2].gl_Position;
	shade = mix(subgroupQuadSwapHorizontal(mix(tint[0], tint[1], c.x)), middle, 0.3);
	mark = subgroupExclusiveAdd(uint(gl_PrimitiveID) + uint(c.x * 8.0) + uint(gl_TessLevelOuter[1]));
}
