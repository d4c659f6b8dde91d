#version 450
#extension GL_EXT_samplerless_texture_functions : require
// Takes the resolved picture from premultiplied to plain colours, in linear
// light, as PNG stores them.
layout(set = 0, binding = 0) uniform texture2D picture;
layout(location = 0) out vec4 color;

void main() {
    vec4 c = texelFetch(picture, ivec2(gl_FragCoord.xy), 0);
    color = c.a > 0.0 ? vec4(c.rgb / c.a, c.a) : vec4(0.0);
}
