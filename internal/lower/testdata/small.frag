#version 450
#extension GL_ARB_sparse_texture2 : require
#extension GL_EXT_demote_to_helper_invocation : require
#extension GL_EXT_terminate_invocation : require
#extension GL_EXT_device_group : require
layout(location = 0) in float f[3];
layout(location = 4) flat in uint k;
layout(location = 5) in Block { vec2 v; flat uint u; } blocks[2];
layout(set = 0, binding = 0) uniform sampler2D t;
layout(location = 0) out vec4 o;
layout(location = 1) out vec4 o1;
void sub() { if (k == 7u) terminateInvocation; if (k == 8u) discard; if (k == 9u) demote; }
void main() {
    vec4 texel = vec4(9.0);
    int code = sparseTextureARB(t, vec2(0.5), texel);
    sub();
    o = vec4(interpolateAtCentroid(f[k % 3u]), interpolateAtOffset(f[k % 3u], vec2(0.25, -0.5)), blocks[1].v.y + blocks[k & 1u].v.x, float(blocks[1].u));
    o1 = vec4(texel.x, float(code), sparseTexelsResidentARB(code) ? 1.0 : 0.0, helperInvocationEXT() ? 1.0 : float(gl_DeviceIndex));
}
