#version 450
#extension GL_NV_viewport_array2 : require
#extension GL_EXT_multiview : require
#extension GL_NVX_multiview_per_view_attributes : require
void main() {
	vec4 p = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);
	gl_Position = p + vec4(0, 1, 0, 0);
	gl_PositionPerViewNV[0] = p + vec4(1, 1, 0, 0);
	gl_PositionPerViewNV[1] = p + vec4(1, 0, 0, 0);
	gl_ViewportMask[0] = 1;
	gl_ViewportMaskPerViewNV[2] = 2;
}
