package studio

import _ "embed"

//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/fullscreen.vert -o shaders/fullscreen.vert.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/prefilter.frag -o shaders/prefilter.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/irradiance.frag -o shaders/irradiance.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/brdf.frag -o shaders/brdf.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/mesh.vert -o shaders/mesh.vert.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/pbr.frag -o shaders/pbr.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/finish.frag -o shaders/finish.frag.spv

var (
	//go:embed shaders/fullscreen.vert.spv
	fullscreenVert []byte
	//go:embed shaders/prefilter.frag.spv
	prefilterFrag []byte
	//go:embed shaders/irradiance.frag.spv
	irradianceFrag []byte
	//go:embed shaders/brdf.frag.spv
	brdfFrag []byte
	//go:embed shaders/mesh.vert.spv
	meshVert []byte
	//go:embed shaders/pbr.frag.spv
	pbrFrag []byte
	//go:embed shaders/finish.frag.spv
	finishFrag []byte
)
