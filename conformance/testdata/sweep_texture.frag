#version 450
// One sample of an image of a kind, with the level that HOW says: implicit, a bias, a
// level, gradients.
layout(constant_id = 0) const int HOW = 0;
layout(binding = 0) uniform IMAGE image;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;
void main()
{
    COORDS p = COORDS(AT);
    if (HOW == 0)
        color = texture(image, p);
    else if (HOW == 1)
        color = texture(image, p, 0.7);
    else if (HOW == 2)
        color = textureLod(image, p, at.x * 3);
    else
        color = textureGrad(image, p, GRADIENT(0.02), GRADIENT(0.005));
}
