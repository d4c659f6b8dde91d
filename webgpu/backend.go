package webgpu

import (
	"sync/atomic"

	"github.com/gogpu/gputypes"
	"github.com/gogpu/wgpu/hal"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/shader"
	"github.com/pumice-gpu/pumice/vk"
)

// Config is how the backend works. The zero value, like a nil *Config, is right for most programs.
type Config struct {
	// Device is how each device is opened: threads, engine, bounds of memory.
	Device pumice.Config
	// Compiler compiles WGSL; nil means the one that shader.Compile uses.
	Compiler *shader.Compiler
}

// Register makes Pumice the backend that wgpu knows as Vulkan (gputypes.BackendVulkan), in place of
// one that has registered before: wgpu has no name for others. Call it before wgpu.CreateInstance;
// cfg may be nil, and is copied.
func Register(cfg *Config) { hal.RegisterBackend(New(cfg)) }

// New makes the backend without registering it, for programs on the HAL itself.
func New(cfg *Config) hal.Backend {
	b := &backend{}
	if cfg != nil {
		b.cfg = *cfg
	}
	return b
}

type backend struct{ cfg Config }

// lastHandle is the last number that an object has got. Those of all backends of a process differ,
// so that one of another device is seen to be.
var lastHandle atomic.Uintptr

func (b *backend) Variant() gputypes.Backend { return gputypes.BackendVulkan }

func (b *backend) CreateInstance(*hal.InstanceDescriptor) (hal.Instance, error) {
	const op = "Backend.CreateInstance"
	dev, err := pumice.Open(&b.cfg.Device)
	if err != nil {
		return nil, failed(op, "", err)
	}
	a := &adapter{
		backend:  b,
		limits:   limitsOf(dev),
		features: featuresOf(dev),
		formats:  make([]vk.FormatProperties, len(textureFormats)),
	}
	for i, f := range textureFormats {
		a.formats[i] = dev.FormatProperties(f.vk)
	}
	p := dev.Properties()
	a.info = gputypes.AdapterInfo{
		Name:       p.DeviceName,
		Vendor:     "Pumice",
		VendorID:   p.VendorID,
		DeviceID:   p.DeviceID,
		DeviceType: gputypes.DeviceTypeCPU,
		Driver:     "Pumice",
		DriverInfo: dev.Engine(),
		Backend:    gputypes.BackendVulkan,
	}
	if err := dev.Close(); err != nil {
		return nil, failed(op, "", err)
	}
	return &instance{adapter: a}, nil
}

type instance struct{ adapter *adapter }

func (i *instance) CreateSurface(uintptr, uintptr) (hal.Surface, error) {
	return nil, missing("Instance.CreateSurface", "",
		"windows here: draw to a texture and copy it to a buffer")
}

func (i *instance) EnumerateAdapters(hal.Surface) []hal.ExposedAdapter {
	return []hal.ExposedAdapter{{
		Adapter: i.adapter, Info: i.adapter.info, Features: i.adapter.features,
		Capabilities: hal.Capabilities{
			Limits:         i.adapter.limits,
			AlignmentsMask: hal.Alignments{BufferCopyOffset: 4, BufferCopyPitch: 1},
			DownlevelCapabilities: hal.DownlevelCapabilities{
				ShaderModel: 60,
				Flags: hal.DownlevelFlagsComputeShaders |
					hal.DownlevelFlagsFragmentWritableStorage | hal.DownlevelFlagsIndirectFirstInstance |
					hal.DownlevelFlagsBaseVertexBaseInstance |
					hal.DownlevelFlagsReadOnlyDepthStencil |
					hal.DownlevelFlagsAnisotropicFiltering,
			},
		},
	}}
}

func (i *instance) Destroy() {}

type adapter struct {
	backend  *backend
	info     gputypes.AdapterInfo
	limits   gputypes.Limits
	features gputypes.Features
	formats  []vk.FormatProperties // of textureFormats
}

// Open opens a device. Features that the adapter does not have are errors; limits are the adapter's
// in any case.
func (a *adapter) Open(features gputypes.Features, _ gputypes.Limits) (hal.OpenDevice, error) {
	const op = "Adapter.Open"
	for f := gputypes.Feature(1); f != 0; f <<= 1 {
		if features.Contains(f) && !a.features.Contains(f) {
			return hal.OpenDevice{}, missing(op, "", "feature %s (bit %#x)", f, uint64(f))
		}
	}
	dev, err := pumice.Open(&a.backend.cfg.Device)
	if err != nil {
		return hal.OpenDevice{}, failed(op, "", err)
	}
	d := &device{dev: dev, backend: a.backend, handles: map[uintptr]any{}}
	return hal.OpenDevice{Device: d, Queue: &queue{d: d}}, nil
}

func (a *adapter) TextureFormatCapabilities(
	f gputypes.TextureFormat,
) hal.TextureFormatCapabilities {
	if _, ok := lookUp(f); !ok {
		return hal.TextureFormatCapabilities{}
	}
	has := a.formats[f-1].OptimalTilingFeatures
	var flags hal.TextureFormatCapabilityFlags
	for _, x := range [...]struct {
		of vk.FormatFeatureFlags
		is hal.TextureFormatCapabilityFlags
	}{
		{vk.FormatFeatureSampledImageBit, hal.TextureFormatCapabilitySampled},
		{vk.FormatFeatureStorageImageBit, hal.TextureFormatCapabilityStorage |
			hal.TextureFormatCapabilityStorageReadWrite},
		{vk.FormatFeatureColorAttachmentBit, hal.TextureFormatCapabilityRenderAttachment |
			hal.TextureFormatCapabilityMultisample | hal.TextureFormatCapabilityMultisampleResolve},
		{vk.FormatFeatureDepthStencilAttachmentBit, hal.TextureFormatCapabilityRenderAttachment |
			hal.TextureFormatCapabilityMultisample},
		{vk.FormatFeatureColorAttachmentBlendBit, hal.TextureFormatCapabilityBlendable},
	} {
		if has&x.of != 0 {
			flags |= x.is
		}
	}
	return hal.TextureFormatCapabilities{Flags: flags}
}

func (a *adapter) SurfaceCapabilities(hal.Surface) *hal.SurfaceCapabilities { return nil }

func (a *adapter) Destroy() {}

// limitsOf are WebGPU's default limits, and Pumice's where these allow more that a program may
// want.
func limitsOf(dev *pumice.Device) gputypes.Limits {
	v, l := dev.Limits(), gputypes.DefaultLimits()
	l.MaxTextureDimension1D, l.MaxTextureDimension2D = v.MaxImageDimension1D, v.MaxImageDimension2D
	l.MaxTextureDimension3D = v.MaxImageDimension3D
	l.MaxTextureArrayLayers = v.MaxImageArrayLayers
	l.MaxUniformBufferBindingSize, l.MaxStorageBufferBindingSize = uint64(
		v.MaxUniformBufferRange,
	), uint64(v.MaxStorageBufferRange)
	l.MaxBufferSize = uint64(v.MaxStorageBufferRange)
	l.MinUniformBufferOffsetAlignment = uint32(v.MinUniformBufferOffsetAlignment)
	l.MinStorageBufferOffsetAlignment = uint32(v.MinStorageBufferOffsetAlignment)
	l.MaxComputeWorkgroupStorageSize = v.MaxComputeSharedMemorySize
	l.MaxComputeInvocationsPerWorkgroup = v.MaxComputeWorkGroupInvocations
	l.MaxComputeWorkgroupSizeX, l.MaxComputeWorkgroupSizeY, l.MaxComputeWorkgroupSizeZ =
		v.MaxComputeWorkGroupSize[0], v.MaxComputeWorkGroupSize[1], v.MaxComputeWorkGroupSize[2]
	n := v.MaxComputeWorkGroupCount
	l.MaxComputeWorkgroupsPerDimension = min(n[0], n[1], n[2])
	return l
}

// featuresOf are the features that this package carries.
func featuresOf(dev *pumice.Device) gputypes.Features {
	v := dev.Features()
	f := gputypes.Features(
		gputypes.FeatureDepth32FloatStencil8 | gputypes.FeatureRG11B10UfloatRenderable |
			gputypes.FeatureBGRA8UnormStorage | gputypes.FeatureFloat32Filterable,
	)
	for _, x := range [...]struct {
		has bool
		is  gputypes.Feature
	}{
		{v.DepthClamp, gputypes.FeatureDepthClipControl},
		{v.TextureCompressionBC, gputypes.FeatureTextureCompressionBC},
		{v.TextureCompressionETC2, gputypes.FeatureTextureCompressionETC2},
		{v.TextureCompressionASTC_LDR, gputypes.FeatureTextureCompressionASTC},
		{v.DrawIndirectFirstInstance, gputypes.FeatureIndirectFirstInstance},
	} {
		if x.has {
			f.Insert(x.is)
		}
	}
	return f
}
