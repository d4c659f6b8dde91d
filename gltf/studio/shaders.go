package studio

import _ "embed"

//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/fullscreen.vert -o shaders/fullscreen.vert.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/prefilter.frag -o shaders/prefilter.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/irradiance.frag -o shaders/irradiance.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/brdf.frag -o shaders/brdf.frag.spv
//go:generate glslangValidator --quiet -V -g --target-env vulkan1.1 shaders/mesh.vert -o shaders/mesh.vert.spv
//go:generate glslangValidator --quiet -V -g --target-env vulkan1.1 shaders/pbr.frag -o shaders/pbr.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/finish.frag -o shaders/finish.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/layers.frag -o shaders/layers.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/panorama.frag -o shaders/panorama.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/sky.frag -o shaders/sky.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/shadow.vert -o shaders/shadow.vert.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/shadow.frag -o shaders/shadow.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 -DLAYERS shaders/shadow.frag -o shaders/shadowlayers.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/pass.frag -o shaders/pass.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 -DLAYERS shaders/pass.frag -o shaders/passlayers.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/shade.frag -o shaders/shade.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/ground.vert -o shaders/ground.vert.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/ground.frag -o shaders/ground.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 shaders/sheen.frag -o shaders/sheen.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 -DSHEEN shaders/prefilter.frag -o shaders/prefiltersheen.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 -DIMAGE shaders/prefilter.frag -o shaders/prefilterimage.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 -DIMAGE -DSHEEN shaders/prefilter.frag -o shaders/prefilterimagesheen.frag.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 -DIMAGE shaders/irradiance.frag -o shaders/irradianceimage.frag.spv

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
	//go:embed shaders/layers.frag.spv
	layersFrag []byte
	//go:embed shaders/panorama.frag.spv
	panoramaFrag []byte
	//go:embed shaders/sky.frag.spv
	skyFrag []byte
	//go:embed shaders/shadow.vert.spv
	shadowVert []byte
	//go:embed shaders/shadow.frag.spv
	shadowFrag []byte
	//go:embed shaders/shadowlayers.frag.spv
	shadowLayersFrag []byte
	//go:embed shaders/pass.frag.spv
	passFrag []byte
	//go:embed shaders/passlayers.frag.spv
	passLayersFrag []byte
	//go:embed shaders/shade.frag.spv
	shadeFrag []byte
	//go:embed shaders/ground.vert.spv
	groundVert []byte
	//go:embed shaders/ground.frag.spv
	groundFrag []byte
	//go:embed shaders/sheen.frag.spv
	sheenFrag []byte
	//go:embed shaders/prefiltersheen.frag.spv
	prefilterSheenFrag []byte
	//go:embed shaders/prefilterimage.frag.spv
	prefilterImageFrag []byte
	//go:embed shaders/prefilterimagesheen.frag.spv
	prefilterImageSheenFrag []byte
	//go:embed shaders/irradianceimage.frag.spv
	irradianceImageFrag []byte
)
