#version 460
#extension GL_ARB_shader_viewport_layer_array : require
#extension GL_EXT_multiview : require
layout(location = 0) in vec4 p;
out float gl_ClipDistance[2];
out float gl_CullDistance[1];
void main() {
    gl_Position = p;
    gl_ClipDistance[0] = p.x; gl_ClipDistance[1] = float(gl_DrawID + gl_BaseVertex + gl_BaseInstance + gl_ViewIndex);
    gl_CullDistance[0] = p.y;
    gl_Layer = gl_InstanceIndex;
    gl_ViewportIndex = 1;
}
