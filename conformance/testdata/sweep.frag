#version 450
// Colours of type VECTOR in four attachments.
layout(location = 0) in vec2 at;
layout(location = 0) out VECTOR c0;
layout(location = 1) out VECTOR c1;
layout(location = 2) out VECTOR c2;
layout(location = 3) out VECTOR c3;
void main()
{
    vec4 c = vec4(at, 0.5, at.x * 0.7) * SCALE;
    c0 = VECTOR(c);
    c1 = VECTOR(c.yzwx);
    c2 = VECTOR(c.zwxy);
    c3 = VECTOR(c.wxyz);
}
