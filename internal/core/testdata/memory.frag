#version 450
layout(set = 0, binding = 0) buffer Descriptors { uvec4 v[]; } descriptors;
layout(set = 1, binding = 0) buffer Cell { uint v; } cell;
void main() {
    atomicAdd(cell.v, 1);
    descriptors.v[0] = descriptors.v[2]; // the second descriptor takes the first one's place
    descriptors.v[1] = descriptors.v[3];
}
