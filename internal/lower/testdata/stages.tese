#version 450
layout(triangles, fractional_odd_spacing, cw, point_mode) in;
layout(location = 2) in Block { vec2 b[2]; int c; } block[];
layout(location = 6) patch in Patch { vec3 d; float e[2]; } patched;
layout(location = 0) in dvec2 f[];
layout(location = 0) out vec4 color;
void main() {
	gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y;
	gl_PointSize = gl_in[2].gl_PointSize;
	color = vec4(block[gl_PrimitiveID].b[1], patched.d[block[0].c % 3], patched.e[1] + gl_TessLevelOuter[2] + gl_TessLevelInner[0] + float(f[1].y));
}
