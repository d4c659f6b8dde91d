#version 450
#extension GL_GOOGLE_include_directive : require
#include "inputs.glsl"
// Colours from interpolated inputs, textures, derivatives, loops and discards.
layout(constant_id = 0) const int MODE = 0;
layout(set = 0, binding = 0) uniform sampler2D first;
layout(set = 0, binding = 1) uniform sampler2D second;
layout(location = 0) out vec4 out0;
#include "second.glsl"

vec4 shade() {
    switch (MODE) {
    case 0:
        return color;
    case 1:
        return texture(first, uv) * color + texture(second, linear).bgra * 0.5;
    case 2:
        return textureLod(first, linear, push.misc.y) + 0.25 * texture(second, uv, push.misc.y - 2.0);
    case 3:
        return textureGrad(first, uv, dFdx(linear) * 0.5, dFdy(uv)) * 0.5
             + textureGather(second, linear, 1) * 0.25 + textureOffset(first, uv, ivec2(1, -2)) * 0.25;
    case 4:
        return vec4(fwidth(uv), abs(dFdx(linear.x)) * 20.0, color.a) + 0.5 * atCentroid;
    case 5: {
        if (fract(color.g * 7.0 + linear.x) < push.misc.z) discard;
        return vec4(pow(color.rgb, vec3(1.7)), 0.75) + texture(first, uv * 4.0) * 0.5; // after a discard
    }
    case 6: {
        vec2 z = linear * 0.8;
        int n = 0;
        for (; n < 24; n++) {
            z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + (uv - 0.5);
            if (dot(z, z) > 4.0) break;
        }
        return vec4(float(n) / 24.0, exp2(-z.x * z.x), gl_FrontFacing ? 1.0 : 0.25, color.a);
    }
    default: {
        vec4 c = texelFetch(first, ivec2(gl_FragCoord.xy) % textureSize(first, 0), 0);
        uint h = (id.x * 747796405u + id.y * 2891336453u) ^ uint(gl_PrimitiveID) * 277803737u;
        return c * 0.5 + unpackUnorm4x8(h) * 0.5 + vec4(gl_FragCoord.z, gl_FragCoord.w * 0.1, gl_PointCoord) * 0.25;
    }
    }
}

void main() {
    vec4 c = shade();
    out0 = c;
    out1 = vec4(c.a, normalize(c.rgb + vec3(0.01)) * color.a);
}
