#version 450
#extension GL_NV_viewport_array2 : require
#extension GL_EXT_multiview : require
#extension GL_NVX_multiview_per_view_attributes : require
layout(viewport_relative) out highp int gl_Layer;
layout(location = 0) in ivec4 mask;
void main() {
	gl_Position = vec4(-1, -1, 0, 1);
	gl_Layer = mask.z;
	gl_ViewportMask[0] = mask.x;
	gl_PositionPerViewNV[0] = vec4(1, 2, 3, 4);
	gl_PositionPerViewNV[1] = vec4(5, 6, 7, 8);
	gl_ViewportMaskPerViewNV[1] = mask.y;
}
