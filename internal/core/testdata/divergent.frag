#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(set = 0, binding = 0) uniform usampler2D pictures[2];
layout(location = 0) out uvec4 color;
void main() { color = texture(pictures[nonuniformEXT(int(gl_FragCoord.x + gl_FragCoord.y) & 1)], gl_FragCoord.xy / 8); }
