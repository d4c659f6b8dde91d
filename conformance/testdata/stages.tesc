#version 450
// A patch of five vertices becomes one of four: invocations tell each other their
// colours, and levels come from the vertices and the number of the patch.
layout(vertices = 4) out;
layout(location = 0) in vec4 color[];
layout(location = 0) out vec4 tint[];
layout(location = 1) patch out vec4 middle;
void main() {
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position * 0.7 + gl_in[gl_PatchVerticesIn - 1].gl_Position * 0.3;
	tint[gl_InvocationID] = color[gl_InvocationID];
	barrier();
	tint[gl_InvocationID] = mix(tint[gl_InvocationID], tint[(gl_InvocationID + 1) % 4], 0.25);
	float level = 1.5 + 4.0 * color[gl_InvocationID].y;
	gl_TessLevelOuter[gl_InvocationID] = gl_InvocationID == 2 && gl_PrimitiveID % 5 == 4 ? 0.0 : level;
	if (gl_InvocationID < 2)
		gl_TessLevelInner[gl_InvocationID] = level + float(gl_PrimitiveID % 3);
	if (gl_InvocationID == 0)
		middle = (color[0] + color[1] + color[2] + color[3]) * 0.25;
}
