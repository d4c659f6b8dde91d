#version 450
#extension GL_EXT_samplerless_texture_functions : require
// The share of light that does not reach a place on the ground.
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform utexture2D bits;
layout(push_constant) uniform Push { float directions; } push;

void main() {
    ivec4 n = bitCount(texelFetch(bits, ivec2(gl_FragCoord.xy), 0));
    color = vec4(float(n.x + n.y + n.z + n.w) / push.directions, 0.0, 0.0, 1.0);
}
