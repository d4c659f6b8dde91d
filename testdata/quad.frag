#version 450
layout(constant_id = 0) const bool invert = false;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 1) uniform sampler2D tex;
void main() {
    vec4 c = texture(tex, uv);
    result = invert ? vec4(1.0 - c.rgb, c.a) : c;
}
