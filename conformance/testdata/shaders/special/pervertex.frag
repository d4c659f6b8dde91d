#version 450
// Inputs of each vertex, in an array of structs that a loop reads. An index past the
// third vertex means the third: twice 4.5, and 18 more.
//! size 1 1
//! color 0 f32 38 52 66 27
#extension GL_EXT_fragment_shader_barycentric : require
struct Corner { uint index; vec3 data[2]; };
layout(location = 0) pervertexEXT in Corner corner[];
layout(location = 0) out vec4 color;
void main() {
	color = vec4(0);
	for (int k = 0; k < 3; k++)
		color.xyz += float(corner[k].index) * corner[k].data[1] + corner[k].data[0];
	for (int k = 5; k < 7; k++)
		color += vec4(0, 0, 0, corner[k].index == 2 ? corner[k].data[0].z * .5 : 0);
	color.w += corner[2].data[1].z;
}
