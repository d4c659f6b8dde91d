#version 450
#extension GL_EXT_multiview : require
layout(location = 0) out vec4 color[4];
void main() {
	color[0] = gl_FragCoord;
	color[1] = vec4(gl_FrontFacing, gl_PrimitiveID, gl_Layer, gl_ViewportIndex);
	color[2] = vec4(gl_PointCoord, gl_ViewIndex, 1);
	color[3] = vec4(gl_SampleMaskIn[0], gl_HelperInvocation, 0, 1);
}
