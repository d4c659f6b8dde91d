#version 450
// A patch has five vertices, whose outputs are declared as arrays of four: fragments see their number,
// the numbers of the first four as digits, the fifth's and its place.
layout(triangles) in;
layout(location = 0) in uint value[];
layout(location = 0) flat out uvec4 seen;
void main() {
	gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y + gl_in[2].gl_Position * gl_TessCoord.z;
	seen = uvec4(gl_PatchVerticesIn, value[0] + 10 * value[1] + 100 * value[2] + 1000 * value[3], value[4], uint(gl_in[4].gl_Position.x));
}
