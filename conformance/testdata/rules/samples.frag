#version 450
layout(location = 0) out vec4 color[2];
void main() {
	color[0] = vec4(gl_SampleID, gl_SamplePosition, gl_SampleMaskIn[0]);
	color[1] = gl_FragCoord;
}
