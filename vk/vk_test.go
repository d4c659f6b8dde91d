package vk

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestGenerate_SameRegistry_SameBytes(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "./_gen", "-out", dir).CombinedOutput(); err != nil {
		t.Fatalf("generator: %v\n%s", err, out)
	}
	want, _ := filepath.Glob(filepath.Join(dir, "*_gen.go"))
	got, _ := filepath.Glob("*_gen.go")
	if len(want) != len(got) || len(want) == 0 {
		t.Fatalf("the registry gives %d files, the folder holds %d", len(want), len(got))
	}
	for _, w := range want {
		a, err := os.ReadFile(w)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Base(w))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s is not what the registry gives: run go generate ./vk", filepath.Base(w))
		}
	}
}

// Values copied by hand from the Vulkan specification's listings.
func TestEnum_KnownValues(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want int64
	}{
		{"core format", int64(FormatR8G8B8A8Srgb), 43},
		{"last 1.0 format", int64(FormatAstc12x12SrgbBlock), 184},
		{"format with an extension's number", int64(FormatG8B8R8_2Plane420Unorm), 1000156003},
		{"promoted format", int64(FormatA8Unorm), 1000470001},
		{"alias", int64(FormatA8UnormKHR), 1000470001},
		{"vendor", int64(PolygonModeFillRectangleNV), 1000153000},
		{"negative", int64(ErrorOutOfHostMemory), -1},
		{"negative with an extension's number", int64(ErrorOutOfPoolMemory), -1000069000},
		{"negative direction", int64(ErrorOutOfDateKHR), -1000001004},
		{"compare", int64(CompareOpLessOrEqual), 3},
		{"view type", int64(ImageViewTypeCubeArray), 6},
		{"32-bit flag", int64(ImageUsageSampledBit), 4},
		{"several bits", int64(CullModeFrontAndBack), 3},
		{"all bits", int64(ShaderStageAll), 0x7fffffff},
		{"64-bit flag", int64(PipelineStage2CopyBit), 1 << 32},
		{"64-bit feature", int64(FormatFeature2StorageReadWithoutFormatBit), 1 << 31},
		{"sample count", int64(SampleCount4Bit), 4},
		{"constant", MaxMemoryTypes, 32},
		{"remaining", int64(RemainingMipLevels), 0xffffffff},
		{"version", int64(ApiVersion1_3), int64(MakeApiVersion(1, 3, 0))},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, c.got, c.want)
		}
	}
}

func TestString_NamesAndUnknownValues(t *testing.T) {
	for _, c := range []struct {
		v    interface{ String() string }
		want string
	}{
		{FormatUndefined, "VK_FORMAT_UNDEFINED"},
		{FormatR8G8B8A8Srgb, "VK_FORMAT_R8G8B8A8_SRGB"},
		{FormatG8B8R8_2Plane420Unorm, "VK_FORMAT_G8_B8R8_2PLANE_420_UNORM"},
		{Format(123456), "Format(123456)"},
		{Format(-1), "Format(-1)"},
		{CompareOpAlways, "VK_COMPARE_OP_ALWAYS"},
		{Success, "VK_SUCCESS"},
		{ErrorDeviceLost, "VK_ERROR_DEVICE_LOST"},
		{ErrorOutOfDateKHR, "VK_ERROR_OUT_OF_DATE_KHR"},
		{CullModeNone, "0"},
		{CullModeFrontAndBack, "VK_CULL_MODE_FRONT_BIT|VK_CULL_MODE_BACK_BIT"},
		{ImageUsageSampledBit | ImageUsageTransferSrcBit, "VK_IMAGE_USAGE_TRANSFER_SRC_BIT|VK_IMAGE_USAGE_SAMPLED_BIT"},
		{SampleCount64Bit | 1<<30, "VK_SAMPLE_COUNT_64_BIT|0x40000000"},
		{PipelineStage2CopyBit, "VK_PIPELINE_STAGE_2_COPY_BIT"},
		{StructureTypeImageCreateInfo, "VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO"},
	} {
		if got := c.v.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if got := error(ErrorDeviceLost).Error(); got != "VK_ERROR_DEVICE_LOST" {
		t.Errorf("Error: got %q", got)
	}
}

func TestApiVersion_PartsComeBack(t *testing.T) {
	v := MakeApiVersion(1, 4, 360)
	if ApiVersionMajor(v) != 1 || ApiVersionMinor(v) != 4 || ApiVersionPatch(v) != 360 {
		t.Errorf("%d.%d.%d from %#x", ApiVersionMajor(v), ApiVersionMinor(v), ApiVersionPatch(v), v)
	}
}

// The shapes that the conversion rules promise; the compiler checks most of this.
func TestStructs_GoShapes(t *testing.T) {
	b := PipelineColorBlendStateCreateInfo{Attachments: []PipelineColorBlendAttachmentState{{BlendEnable: true}}}
	b.BlendConstants = [4]float32{1}
	m := PhysicalDeviceMemoryProperties{MemoryTypes: []MemoryType{{HeapIndex: 1}}}
	p := PhysicalDeviceProperties{DeviceName: "x", Limits: PhysicalDeviceLimits{MaxImageDimension2D: 1}}
	f := PhysicalDeviceVulkan13Features{DynamicRendering: true}
	c := ClearValue{Color: ClearColorValue{Float32: [4]float32{1, 2, 3, 4}}}
	r := Rect2D{Offset: Offset2D{X: -1}, Extent: Extent2D{Width: 2}}
	v := Viewport{X: 1, Y: 2, Width: 3, Height: 4, MinDepth: 0, MaxDepth: 1}
	if len(b.Attachments) != 1 || len(m.MemoryTypes) != 1 || p.DeviceName != "x" || !f.DynamicRendering ||
		c.Color.Float32[3] != 4 || r.Offset.X != -1 || v.MaxDepth != 1 {
		t.Error("a member did not keep its value")
	}
}
