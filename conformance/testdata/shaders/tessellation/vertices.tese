#version 450
layout(triangles) in;
layout(location = 0) out float value;
layout(location = 1) out vec2 place;
void main() {
	vec4 p = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y + gl_in[2].gl_Position * gl_TessCoord.z;
	value = gl_TessCoord.x * gl_TessCoord.x + gl_TessCoord.y;
	gl_Position = p * (1 + value);
	place = p.xy;
}
