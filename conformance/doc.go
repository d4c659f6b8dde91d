// Package conformance holds tests of the whole from outside: it sees what a
// program that uses Pumice sees, the packages pumice, vk, gltf and gltf/studio,
// and nothing behind them.
package conformance

//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/soup.vert -o testdata/soup.vert.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/color.frag -o testdata/color.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 -DONE testdata/color.frag -o testdata/color.one.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/encode.frag -o testdata/encode.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/integer.frag -o testdata/integer.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 -DONE testdata/integer.frag -o testdata/integer.one.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/dual.frag -o testdata/dual.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/depth.frag -o testdata/depth.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 -DONE testdata/depth.frag -o testdata/depth.one.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/sample.frag -o testdata/sample.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 -DONE testdata/sample.frag -o testdata/sample.one.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/stir.comp -o testdata/stir.comp.spv
//go:generate go run ./_shaders
//go:generate go run ./_scenes
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/stages.vert -o testdata/stages.vert.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/stages.tesc -o testdata/stages.tesc.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/quads.tese -o testdata/quads.tese.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/triangles.tese -o testdata/triangles.tese.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/groups.tese -o testdata/groups.tese.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/isolines.tese -o testdata/isolines.tese.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/points.tese -o testdata/points.tese.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/stages.geom -o testdata/stages.geom.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/lines.geom -o testdata/lines.geom.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.2 testdata/stages.task -o testdata/stages.task.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.2 testdata/stages.mesh -o testdata/stages.mesh.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.2 testdata/mesh.frag -o testdata/mesh.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 testdata/stages.frag -o testdata/stages.frag.spv
