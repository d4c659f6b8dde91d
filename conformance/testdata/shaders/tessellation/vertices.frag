#version 450
// The vertices of the primitive, whichever it is: their values, weighted, make what is interpolated, and their places
// the fragment's.
//! size 2 2
//! color 0 f32 1*16
#extension GL_EXT_fragment_shader_barycentric : require
layout(location = 0) pervertexEXT in float value[];
layout(location = 1) pervertexEXT in vec2 place[];
layout(location = 0) out vec4 color;
void main() {
	vec3 b = gl_BaryCoordEXT, n = gl_BaryCoordNoPerspEXT;
	float sum = value[0] * b.x + value[1] * b.y + value[2] * b.z;
	vec2 at = place[0] * n.x + place[1] * n.y + place[2] * n.z;
	color = vec4(
		abs(sum - (1 / gl_FragCoord.w - 1)) < 1e-4,
		distance(at, gl_FragCoord.xy - 1) < 1e-2,
		abs(b.x + b.y + b.z - 1) < 1e-5,
		abs(n.x + n.y + n.z - 1) < 1e-5);
}
