package icd

import (
	"slices"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/version"
	"github.com/pumice-gpu/pumice/vk"
)

// apiVersion is what the driver reports: the highest version all of whose
// mandatory features are on in the table below (TestFeatures_MandatoryOfTheVersion).
const apiVersion = version.Vulkan

// An extension is a row of the tables of extensions. A row stands there only if
// the extension works.
type extension struct {
	name     string
	spec     uint32 // specVersion
	promoted uint32 // the version that made it core, 0: none
	what     string // what of it is worth saying in docs/features.md
}

// instanceExtensions are offered by the instance.
var instanceExtensions = [...]extension{
	{"VK_EXT_debug_utils", 2, 0, "broken rules that the driver notices; names and labels are accepted"},
	{"VK_EXT_headless_surface", 1, 0, ""},
	{"VK_EXT_surface_maintenance1", 1, 0, ""},
	{"VK_KHR_device_group_creation", 1, vk.ApiVersion1_1, "groups of one device"},
	{"VK_KHR_external_fence_capabilities", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_external_memory_capabilities", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_external_semaphore_capabilities", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_get_physical_device_properties2", 2, vk.ApiVersion1_1, ""},
	{"VK_KHR_get_surface_capabilities2", 1, 0, ""},
	{"VK_KHR_surface", 25, 0, ""},
	{"VK_KHR_surface_maintenance1", 1, 0, ""},
	{"VK_KHR_surface_protected_capabilities", 1, 0, "nothing is protected"},
	{"VK_KHR_wayland_surface", 6, 0, "pictures go through shared memory"},
	{"VK_KHR_xcb_surface", 6, 0, "pictures go through shared memory, or the connection"},
	{"VK_KHR_xlib_surface", 6, 0, "through libX11-xcb"},
}

// deviceExtensions are offered by the device.
var deviceExtensions = [...]extension{
	{"VK_AMD_buffer_marker", 1, 0, ""},
	{"VK_AMD_draw_indirect_count", 2, vk.ApiVersion1_2, ""},
	{"VK_AMD_mixed_attachment_samples", 1, 0, ""},
	{"VK_AMD_rasterization_order", 1, 0, "the order is always strict"}, // RAS-369
	{"VK_AMD_shader_early_and_late_fragment_tests", 1, 0, ""},
	{"VK_AMD_shader_explicit_vertex_parameter", 1, 0, ""},
	{"VK_AMD_shader_fragment_mask", 1, 0, "images are not compressed: each sample has a fragment of its own"},
	{"VK_AMD_shader_image_load_store_lod", 1, 0, ""},
	{"VK_AMD_shader_trinary_minmax", 1, 0, ""},
	{"VK_AMD_texture_gather_bias_lod", 1, 0, "gathers take the nearest level"},
	{"VK_ARM_rasterization_order_attachment_access", 1, 0, ""},
	{"VK_EXT_4444_formats", 1, vk.ApiVersion1_3, ""},
	{"VK_EXT_astc_decode_mode", 1, 0, ""},
	{"VK_EXT_attachment_feedback_loop_dynamic_state", 1, 0, ""},
	{"VK_EXT_attachment_feedback_loop_layout", 2, 0, "what was drawn before a barrier is stored at the barrier"},
	{"VK_EXT_blend_operation_advanced", 2, 0, "all operations, coherent"},
	{"VK_EXT_border_color_swizzle", 1, 0, "border colours go through the swizzle of the view like texels"},
	{"VK_EXT_buffer_device_address", 2, 0, ""},
	{"VK_EXT_calibrated_timestamps", 2, 0, "the device and the monotonic clocks"},
	{"VK_EXT_color_write_enable", 1, 0, ""},
	{"VK_EXT_conditional_rendering", 2, 0, ""},
	{"VK_EXT_conservative_rasterization", 1, 0, ""},
	{"VK_EXT_custom_border_color", 12, 0, ""},
	{"VK_EXT_depth_bias_control", 1, 0, ""},
	{"VK_EXT_depth_clamp_control", 1, 0, ""},
	{"VK_EXT_depth_clamp_zero_one", 1, 0, ""},
	{"VK_EXT_depth_clip_control", 1, 0, ""},
	{"VK_EXT_depth_clip_enable", 1, 0, ""},
	{"VK_EXT_depth_range_unrestricted", 1, 0, ""},
	{"VK_EXT_descriptor_buffer", 1, 0, "what is no descriptor reads as the null descriptor; push descriptors need no buffer"},
	{"VK_EXT_descriptor_indexing", 2, vk.ApiVersion1_2, ""},
	{"VK_EXT_device_address_binding_report", 1, 0, "of buffers, to which all addresses belong"},
	{"VK_EXT_device_generated_commands", 1, 0, "carried out as they lie in memory: preprocessing does nothing and takes none"},
	{"VK_EXT_device_memory_report", 2, 0, "of device memory and the images of swapchains; nothing else takes any"},
	{"VK_EXT_discard_rectangles", 2, 0, ""},
	{"VK_EXT_dynamic_rendering_unused_attachments", 1, 0, ""},
	{"VK_EXT_extended_dynamic_state", 1, vk.ApiVersion1_3, ""},
	{"VK_EXT_extended_dynamic_state2", 1, vk.ApiVersion1_3, ""},
	{"VK_EXT_extended_dynamic_state3", 2, 0, ""},
	{"VK_EXT_external_memory_acquire_unmodified", 1, 0, ""},
	{"VK_EXT_external_memory_host", 1, 0, "allocations of the host, by pages"},
	{"VK_EXT_filter_cubic", 3, 0, "of every view that LINEAR has"},
	{"VK_EXT_fragment_density_map", 3, 0, "of regions from 2×2 to 32×32 pixels, fragments up to 4×4; read when the pass runs"},
	{"VK_EXT_fragment_density_map2", 1, 0, "subsampled images hold every texel"},
	{"VK_EXT_fragment_density_map_offset", 1, 0, ""},
	{"VK_EXT_fragment_shader_interlock", 1, 0, ""},
	{"VK_EXT_frame_boundary", 1, 0, ""},
	{"VK_EXT_global_priority", 2, vk.ApiVersion1_4, "LOW and MEDIUM, which are the same"},
	{"VK_EXT_global_priority_query", 1, vk.ApiVersion1_4, ""},
	{"VK_EXT_graphics_pipeline_library", 1, 0, "linking puts states together; shaders are compiled before"},
	{"VK_EXT_host_image_copy", 1, vk.ApiVersion1_4, ""},
	{"VK_EXT_host_query_reset", 1, vk.ApiVersion1_2, ""},
	{"VK_EXT_image_2d_view_of_3d", 1, 0, ""},
	{"VK_EXT_image_compression_control", 1, 0, "no image is compressed"},
	{"VK_EXT_image_drm_format_modifier", 2, 0, "`DRM_FORMAT_MOD_LINEAR`, with planes, rows, slices and layers wherever programs want them"},
	{"VK_EXT_image_robustness", 1, vk.ApiVersion1_3, ""},
	{"VK_EXT_image_sliced_view_of_3d", 1, 0, ""},
	{"VK_EXT_image_view_min_lod", 1, 0, ""},
	{"VK_EXT_index_type_uint8", 1, vk.ApiVersion1_4, ""},
	{"VK_EXT_inline_uniform_block", 1, vk.ApiVersion1_3, ""},
	{"VK_EXT_legacy_dithering", 2, 0, "colours are not dithered"},
	{"VK_EXT_legacy_vertex_attributes", 1, 0, "bits are taken as they are"},
	{"VK_EXT_line_rasterization", 1, vk.ApiVersion1_4, ""},
	{"VK_EXT_load_store_op_none", 1, vk.ApiVersion1_4, ""},
	{"VK_EXT_map_memory_placed", 1, 0, ""},
	{"VK_EXT_memory_budget", 1, 0, ""},
	{"VK_EXT_memory_priority", 1, 0, "memory never moves, whatever its priority"},
	{"VK_EXT_mesh_shader", 1, 0, ""},
	{"VK_EXT_multi_draw", 1, 0, ""},
	{"VK_EXT_multisampled_render_to_single_sampled", 1, 0, "the samples live in an image of the pass"},
	{"VK_EXT_mutable_descriptor_type", 1, 0, ""},
	{"VK_EXT_nested_command_buffer", 1, 0, ""},
	{"VK_EXT_non_seamless_cube_map", 1, 0, ""},
	{"VK_EXT_pageable_device_local_memory", 1, 0, "memory never moves, whatever its priority"},
	{"VK_EXT_pipeline_creation_cache_control", 3, vk.ApiVersion1_3, ""},
	{"VK_EXT_pipeline_creation_feedback", 1, vk.ApiVersion1_3, ""},
	{"VK_EXT_pipeline_protected_access", 1, vk.ApiVersion1_4, "nothing is protected"},
	{"VK_EXT_pipeline_robustness", 1, vk.ApiVersion1_4, ""},
	{"VK_EXT_post_depth_coverage", 1, 0, ""},
	{"VK_EXT_primitive_restart_index", 1, 0, ""},
	{"VK_EXT_primitive_topology_list_restart", 1, 0, ""},
	{"VK_EXT_primitives_generated_query", 1, 0, ""},
	{"VK_EXT_private_data", 1, vk.ApiVersion1_3, ""},
	{"VK_EXT_provoking_vertex", 1, 0, ""},
	{"VK_EXT_queue_family_foreign", 1, 0, ""},
	{"VK_EXT_rasterization_order_attachment_access", 1, 0, "reads see what earlier fragments of the pixel wrote, flags or none"},
	{"VK_EXT_rgba10x6_formats", 1, 0, ""},
	{"VK_EXT_robustness2", 1, 0, ""},
	{"VK_EXT_sample_locations", 1, 0, "grids of up to 4×4 pixels"},
	{"VK_EXT_sampler_filter_minmax", 2, vk.ApiVersion1_2, ""},
	{"VK_EXT_scalar_block_layout", 1, vk.ApiVersion1_2, ""},
	{"VK_EXT_separate_stencil_usage", 1, vk.ApiVersion1_2, ""},
	{"VK_EXT_shader_atomic_float", 1, 0, ""},
	{"VK_EXT_shader_atomic_float2", 1, 0, "minima and maxima of 32 and 64 bits"},
	{"VK_EXT_shader_demote_to_helper_invocation", 1, vk.ApiVersion1_3, ""},
	{"VK_EXT_shader_float8", 1, 0, "conversions round to even"},
	{"VK_EXT_shader_image_atomic_int64", 1, 0, ""},
	{"VK_EXT_shader_long_vector", 1, 0, "of up to 1,024 components"},
	{"VK_EXT_shader_module_identifier", 1, 0, ""},
	{"VK_EXT_shader_object", 1, 0, "binaries are SPIR-V behind a header; linking is the same with and without its flag"},
	{"VK_EXT_shader_replicated_composites", 1, 0, ""},
	{"VK_EXT_shader_stencil_export", 1, 0, ""},
	{"VK_EXT_shader_subgroup_ballot", 1, 0, ""},
	{"VK_EXT_shader_subgroup_partitioned", 1, 0, ""},
	{"VK_EXT_shader_subgroup_vote", 1, 0, ""},
	{"VK_EXT_shader_tile_image", 1, 0, "always coherent"},
	{"VK_EXT_shader_uniform_buffer_unsized_array", 1, 0, ""},
	{"VK_EXT_shader_viewport_index_layer", 1, vk.ApiVersion1_2, ""},
	{"VK_EXT_subgroup_size_control", 2, vk.ApiVersion1_3, "compute, task and mesh shaders choose 4 to 128"},
	{"VK_EXT_subpass_merge_feedback", 2, 0, "subpasses are not merged"},
	{"VK_EXT_swapchain_maintenance1", 1, 0, "pictures are not scaled"},
	{"VK_EXT_texel_buffer_alignment", 1, vk.ApiVersion1_3, ""},
	{"VK_EXT_texture_compression_astc_3d", 1, 0, ""},
	{"VK_EXT_texture_compression_astc_hdr", 1, vk.ApiVersion1_3, ""},
	{"VK_EXT_tooling_info", 1, vk.ApiVersion1_3, ""},
	{"VK_EXT_transform_feedback", 1, 0, ""},
	{"VK_EXT_vertex_attribute_divisor", 3, vk.ApiVersion1_4, ""},
	{"VK_EXT_vertex_attribute_robustness", 1, 0, "as with robustBufferAccess2"},
	{"VK_EXT_vertex_input_dynamic_state", 2, 0, ""},
	{"VK_EXT_ycbcr_2plane_444_formats", 1, vk.ApiVersion1_3, ""},
	{"VK_EXT_ycbcr_image_arrays", 1, 0, ""},
	{"VK_EXT_zero_initialize_device_memory", 1, 0, "all memory is zeroed"},
	{"VK_GOOGLE_decorate_string", 1, 0, ""},
	{"VK_GOOGLE_hlsl_functionality1", 1, 0, ""},
	{"VK_GOOGLE_user_type", 1, 0, ""},
	{"VK_IMG_filter_cubic", 1, 0, ""},
	{"VK_IMG_relaxed_line_rasterization", 1, 0, ""},
	{"VK_KHR_16bit_storage", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_8bit_storage", 1, vk.ApiVersion1_2, ""},
	{"VK_KHR_bind_memory2", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_buffer_device_address", 1, vk.ApiVersion1_2, ""},
	{"VK_KHR_calibrated_timestamps", 1, 0, "the device and the monotonic clocks"},
	{"VK_KHR_compute_shader_derivatives", 1, 0, ""},
	{"VK_KHR_copy_commands2", 1, vk.ApiVersion1_3, ""},
	{"VK_KHR_copy_memory_indirect", 1, 0, "on all queues; a copy of what is no buffer's is left out"},
	{"VK_KHR_create_renderpass2", 1, vk.ApiVersion1_2, ""},
	{"VK_KHR_dedicated_allocation", 3, vk.ApiVersion1_1, "no resource asks for it"},
	{"VK_KHR_depth_clamp_zero_one", 1, 0, ""},
	{"VK_KHR_depth_stencil_resolve", 1, vk.ApiVersion1_2, ""},
	{"VK_KHR_descriptor_update_template", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_device_address_commands", 1, 0, "flags of addresses are hints that nobody needs"},
	{"VK_KHR_device_group", 4, vk.ApiVersion1_1, "groups of one device"},
	{"VK_KHR_draw_indirect_count", 1, vk.ApiVersion1_2, ""},
	{"VK_KHR_driver_properties", 1, vk.ApiVersion1_2, "no number of the registry's, and no claim to conform"},
	{"VK_KHR_dynamic_rendering", 1, vk.ApiVersion1_3, ""},
	{"VK_KHR_dynamic_rendering_local_read", 1, vk.ApiVersion1_4, ""},
	{"VK_KHR_extended_flags", 1, 0, ""},
	{"VK_KHR_external_fence", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_external_fence_fd", 1, 0, "opaque descriptors between all devices of this driver; sync files are pollable"},
	{"VK_KHR_external_memory", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_external_memory_fd", 1, 0, "opaque descriptors between all devices of this driver"},
	{"VK_KHR_external_semaphore", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_external_semaphore_fd", 1, 0, "opaque descriptors between all devices of this driver; sync files are pollable"},
	{"VK_KHR_format_feature_flags2", 2, vk.ApiVersion1_3, ""},
	{"VK_KHR_fragment_shader_barycentric", 1, 0, ""},
	{"VK_KHR_fragment_shading_rate", 2, 0, ""},
	{"VK_KHR_get_memory_requirements2", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_global_priority", 1, vk.ApiVersion1_4, "LOW and MEDIUM, which are the same"},
	{"VK_KHR_image_format_list", 1, vk.ApiVersion1_2, ""},
	{"VK_KHR_imageless_framebuffer", 1, vk.ApiVersion1_2, ""},
	{"VK_KHR_incremental_present", 2, 0, "whole pictures are shown"},
	{"VK_KHR_index_type_uint8", 1, vk.ApiVersion1_4, ""},
	{"VK_KHR_internally_synchronized_queues", 1, 0, ""},
	{"VK_KHR_line_rasterization", 1, vk.ApiVersion1_4, ""},
	{"VK_KHR_load_store_op_none", 1, vk.ApiVersion1_4, ""},
	{"VK_KHR_maintenance1", 2, vk.ApiVersion1_1, ""},
	{"VK_KHR_maintenance10", 1, 0, ""},
	{"VK_KHR_maintenance2", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_maintenance3", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_maintenance4", 2, vk.ApiVersion1_3, ""},
	{"VK_KHR_maintenance5", 1, vk.ApiVersion1_4, ""},
	{"VK_KHR_maintenance6", 1, vk.ApiVersion1_4, ""},
	{"VK_KHR_maintenance7", 1, 0, ""},
	{"VK_KHR_maintenance8", 1, 0, ""},
	{"VK_KHR_maintenance9", 1, 0, ""},
	{"VK_KHR_map_memory2", 1, vk.ApiVersion1_4, ""},
	{"VK_KHR_multiview", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_pipeline_binary", 1, 0, "binaries are SPIR-V and constants with a checksum; the device keeps what is compiled"},
	{"VK_KHR_pipeline_executable_properties", 1, 0, "the intermediate code and its size"},
	{"VK_KHR_pipeline_library", 1, 0, ""},
	{"VK_KHR_present_id", 1, 0, ""},
	{"VK_KHR_present_id2", 1, 0, ""},
	{"VK_KHR_present_wait", 1, 0, ""},
	{"VK_KHR_present_wait2", 1, 0, ""},
	{"VK_KHR_push_descriptor", 2, vk.ApiVersion1_4, ""},
	{"VK_KHR_relaxed_block_layout", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_robustness2", 1, 0, ""},
	{"VK_KHR_sampler_mirror_clamp_to_edge", 3, vk.ApiVersion1_2, ""},
	{"VK_KHR_sampler_ycbcr_conversion", 14, vk.ApiVersion1_1, "implicit reconstruction unless forced; nothing is clamped"},
	{"VK_KHR_separate_depth_stencil_layouts", 1, vk.ApiVersion1_2, "layouts make no difference"},
	{"VK_KHR_shader_atomic_int64", 1, vk.ApiVersion1_2, ""},
	{"VK_KHR_shader_bfloat16", 1, 0, "conversions round to even"},
	{"VK_KHR_shader_clock", 1, 0, "the clock of a subgroup counts how often it is read: no time enters results"},
	{"VK_KHR_shader_draw_parameters", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_shader_expect_assume", 1, vk.ApiVersion1_4, ""},
	{"VK_KHR_shader_float16_int8", 1, vk.ApiVersion1_2, ""},
	{"VK_KHR_shader_float_controls", 4, vk.ApiVersion1_2, "all, for all widths, independently"},
	{"VK_KHR_shader_float_controls2", 1, vk.ApiVersion1_4, "arithmetic is strict whatever is allowed"},
	{"VK_KHR_shader_fma", 1, 0, ""},
	{"VK_KHR_shader_integer_dot_product", 1, vk.ApiVersion1_3, ""},
	{"VK_KHR_shader_maximal_reconvergence", 1, 0, ""},
	{"VK_KHR_shader_non_semantic_info", 1, vk.ApiVersion1_3, "lines of DebugInfo stand in messages; DebugPrintf prints"},
	{"VK_KHR_shader_quad_control", 1, 0, "fragment shaders run in whole quads"},
	{"VK_KHR_shader_relaxed_extended_instruction", 1, 0, ""},
	{"VK_KHR_shader_subgroup_extended_types", 1, vk.ApiVersion1_2, ""},
	{"VK_KHR_shader_subgroup_rotate", 2, vk.ApiVersion1_4, ""},
	{"VK_KHR_shader_subgroup_uniform_control_flow", 1, 0, ""},
	{"VK_KHR_shader_terminate_invocation", 1, vk.ApiVersion1_3, ""},
	{"VK_KHR_shader_untyped_pointers", 1, 0, ""},
	{"VK_KHR_spirv_1_4", 1, vk.ApiVersion1_2, ""},
	{"VK_KHR_storage_buffer_storage_class", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_swapchain", 70, 0, "FIFO shows 60 pictures a second"},
	{"VK_KHR_swapchain_maintenance1", 1, 0, "pictures are not scaled"},
	{"VK_KHR_swapchain_mutable_format", 1, 0, ""},
	{"VK_KHR_synchronization2", 1, vk.ApiVersion1_3, "barriers order nothing that the one queue of commands does not"},
	{"VK_KHR_timeline_semaphore", 2, vk.ApiVersion1_2, ""},
	{"VK_KHR_unified_image_layouts", 1, 0, "layouts make no difference"},
	{"VK_KHR_uniform_buffer_standard_layout", 1, vk.ApiVersion1_2, ""},
	{"VK_KHR_variable_pointers", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_vertex_attribute_divisor", 1, vk.ApiVersion1_4, ""},
	{"VK_KHR_vulkan_memory_model", 3, vk.ApiVersion1_2, ""},
	{"VK_KHR_workgroup_memory_explicit_layout", 1, 0, ""},
	{"VK_KHR_zero_initialize_workgroup_memory", 1, vk.ApiVersion1_3, ""},
	{"VK_NVX_multiview_per_view_attributes", 1, 0, "all components; a view takes what it has of its own, flags or none"},
	{"VK_NV_clip_space_w_scaling", 1, 0, ""},
	{"VK_NV_compute_shader_derivatives", 1, 0, ""},
	{"VK_NV_corner_sampled_image", 2, 0, ""},
	{"VK_NV_coverage_reduction_mode", 1, 0, "merging joins neighbouring sample indices"},
	{"VK_NV_fill_rectangle", 1, 0, ""},
	{"VK_NV_fragment_coverage_to_color", 1, 0, ""},
	{"VK_NV_fragment_shader_barycentric", 1, 0, ""},
	{"VK_NV_fragment_shading_rate_enums", 1, 0, ""},
	{"VK_NV_framebuffer_mixed_samples", 1, 0, ""},
	{"VK_NV_raw_access_chains", 1, 0, "all accesses are checked, whatever a chain says"},
	{"VK_NV_representative_fragment_test", 2, 0, "no fragment is left out"},
	{"VK_NV_sample_mask_override_coverage", 1, 0, ""},
	{"VK_NV_scissor_exclusive", 2, 0, ""},
	{"VK_NV_shader_image_footprint", 2, 0, ""},
	{"VK_NV_shader_subgroup_partitioned", 1, 0, ""},
	{"VK_NV_shading_rate_image", 3, 0, "not together with VK_KHR_fragment_shading_rate"},
	{"VK_NV_viewport_array2", 1, 0, "not of mesh shaders"},
	{"VK_NV_viewport_swizzle", 1, 0, ""},
	{"VK_QCOM_filter_cubic_clamp", 1, 0, ""},
	{"VK_QCOM_filter_cubic_weights", 1, 0, ""},
	{"VK_QCOM_fragment_density_map_offset", 3, 0, ""},
	{"VK_QCOM_image_processing", 1, 0, "of 2D views"},
	{"VK_QCOM_image_processing2", 1, 0, ""},
	{"VK_QCOM_image_processing3", 1, 0, ""},
	{"VK_QCOM_ycbcr_degamma", 1, 0, ""},
	{"VK_VALVE_fragment_density_map_layered", 1, 0, ""},
	{"VK_VALVE_mutable_descriptor_type", 1, 0, ""},
}

// A feature is a row of the table of features.
type feature struct {
	name string // as in all structs that have it
	why  string // what makes it work, or what it is limited to
}

// features are the features that are on; those not listed are off. The same name
// means the same in every struct (VkPhysicalDeviceVulkan12Features and the
// promoted extension's). The features of VkPhysicalDeviceFeatures are package
// core's and not repeated here, unless the driver has more to say.
var features = [...]feature{
	{"advancedBlendCoherentOperations", ""},
	{"attachmentFeedbackLoopDynamicState", ""},
	{"attachmentFeedbackLoopLayout", ""},
	{"attachmentFragmentShadingRate", ""},
	{"blockMatchExtendedClampToEdge", ""},
	{"borderColorSwizzle", ""},
	{"borderColorSwizzleFromImage", "border colours go through the swizzle of the view"},
	{"bresenhamLines", ""},
	{"bufferDeviceAddress", "addresses are numbers of the driver's own; those outside of buffers read as zero"},
	{"bufferDeviceAddressCaptureReplay", ""},
	{"colorWriteEnable", ""},
	{"computeDerivativeGroupLinear", ""},
	{"computeDerivativeGroupQuads", ""},
	{"computeFullSubgroups", ""},
	{"conditionalRendering", ""},
	{"cornerSampledImage", ""},
	{"coverageReductionMode", ""},
	{"cubicRangeClamp", ""},
	{"customBorderColorWithoutFormat", ""},
	{"customBorderColors", ""},
	{"decodeModeSharedExponent", ""},
	{"depthBiasControl", ""},
	{"depthBiasExact", ""},
	{"depthClampControl", ""},
	{"depthClampZeroOne", ""},
	{"depthClipControl", ""},
	{"depthClipEnable", ""},
	{"descriptorBindingInlineUniformBlockUpdateAfterBind", ""},
	{"descriptorBindingPartiallyBound", ""},
	{"descriptorBindingSampledImageUpdateAfterBind", ""},
	{"descriptorBindingStorageBufferUpdateAfterBind", ""},
	{"descriptorBindingStorageImageUpdateAfterBind", ""},
	{"descriptorBindingStorageTexelBufferUpdateAfterBind", ""},
	{"descriptorBindingUniformBufferUpdateAfterBind", ""},
	{"descriptorBindingUniformTexelBufferUpdateAfterBind", ""},
	{"descriptorBindingUpdateUnusedWhilePending", ""},
	{"descriptorBindingVariableDescriptorCount", ""},
	{"descriptorBuffer", "buffers are read when commands are carried out"},
	{"descriptorBufferCaptureReplay", ""},
	{"descriptorBufferImageLayoutIgnored", ""},
	{"descriptorBufferPushDescriptors", ""},
	{"descriptorIndexing", ""},
	{"deviceAddressCommands", ""},
	{"deviceGeneratedCommands", ""},
	{"deviceMemoryReport", ""},
	{"drawIndirectCount", ""},
	{"dynamicGeneratedPipelineLayout", ""},
	{"dynamicRendering", ""},
	{"dynamicRenderingLocalRead", ""},
	{"dynamicRenderingUnusedAttachments", ""},
	{"exclusiveScissor", ""},
	{"extendedDynamicState", ""},
	{"extendedDynamicState2", ""},
	{"extendedDynamicState2LogicOp", ""},
	{"extendedDynamicState2PatchControlPoints", ""},
	{"extendedDynamicState3AlphaToCoverageEnable", ""},
	{"extendedDynamicState3AlphaToOneEnable", ""},
	{"extendedDynamicState3ColorBlendAdvanced", ""},
	{"extendedDynamicState3ColorBlendEnable", ""},
	{"extendedDynamicState3ColorBlendEquation", ""},
	{"extendedDynamicState3ColorWriteMask", ""},
	{"extendedDynamicState3ConservativeRasterizationMode", ""},
	{"extendedDynamicState3CoverageModulationMode", ""},
	{"extendedDynamicState3CoverageModulationTable", ""},
	{"extendedDynamicState3CoverageModulationTableEnable", ""},
	{"extendedDynamicState3CoverageReductionMode", ""},
	{"extendedDynamicState3CoverageToColorEnable", ""},
	{"extendedDynamicState3CoverageToColorLocation", ""},
	{"extendedDynamicState3DepthClampEnable", ""},
	{"extendedDynamicState3DepthClipEnable", ""},
	{"extendedDynamicState3DepthClipNegativeOneToOne", ""},
	{"extendedDynamicState3ExtraPrimitiveOverestimationSize", ""},
	{"extendedDynamicState3LineRasterizationMode", ""},
	{"extendedDynamicState3LineStippleEnable", ""},
	{"extendedDynamicState3LogicOpEnable", ""},
	{"extendedDynamicState3PolygonMode", ""},
	{"extendedDynamicState3ProvokingVertexMode", ""},
	{"extendedDynamicState3RasterizationSamples", ""},
	{"extendedDynamicState3RasterizationStream", ""},
	{"extendedDynamicState3RepresentativeFragmentTestEnable", ""},
	{"extendedDynamicState3SampleLocationsEnable", ""},
	{"extendedDynamicState3SampleMask", ""},
	{"extendedDynamicState3ShadingRateImageEnable", ""},
	{"extendedDynamicState3TessellationDomainOrigin", ""},
	{"extendedDynamicState3ViewportSwizzle", ""},
	{"extendedDynamicState3ViewportWScalingEnable", ""},
	{"extendedFlags", ""},
	{"floatRepresentation", ""},
	{"formatA4B4G4R4", ""},
	{"formatA4R4G4B4", ""},
	{"formatRgba10x6WithoutYCbCrSampler", ""},
	{"fragmentDensityMap", "not together with fragment shading rates"},
	{"fragmentDensityMapDeferred", ""},
	{"fragmentDensityMapDynamic", ""},
	{"fragmentDensityMapLayered", ""},
	{"fragmentDensityMapNonSubsampledImages", ""},
	{"fragmentDensityMapOffset", ""},
	{"fragmentShaderBarycentric", ""},
	{"fragmentShaderPixelInterlock", ""},
	{"fragmentShaderSampleInterlock", ""},
	{"fragmentShaderShadingRateInterlock", ""},
	{"fragmentShadingRateEnums", ""},
	{"frameBoundary", ""},
	{"geometryStreams", ""},
	{"globalPriorityQuery", ""},
	{"graphicsPipelineLibrary", ""},
	{"hostImageCopy", ""},
	{"hostQueryReset", ""},
	{"image2DViewOf3D", ""},
	{"imageCompressionControl", ""},
	{"imageFootprint", ""},
	{"imageGatherExtendedModes", ""},
	{"imageGatherLinear", ""},
	{"imageSlicedViewOf3D", ""},
	{"imagelessFramebuffer", ""},
	{"indexTypeUint8", ""},
	{"indirectMemoryCopy", ""},
	{"indirectMemoryToImageCopy", ""},
	{"inheritedConditionalRendering", "secondary command buffers run inside the primary one"},
	{"inlineUniformBlock", ""},
	{"internallySynchronizedQueues", ""},
	{"leastRepresentableValueForceUnormRepresentation", ""},
	{"legacyDithering", ""},
	{"legacyVertexAttributes", "at any offset and stride"},
	{"longVector", ""},
	{"maintenance10", "resolves of sRGB average linear values, or codes where that is asked for"},
	{"maintenance4", ""},
	{"maintenance5", ""},
	{"maintenance6", ""},
	{"maintenance7", "passes mix commands of their own and secondary command buffers"},
	{"maintenance8", "copies between colour and depth or stencil; offsets that are not constant"},
	{"maintenance9", "vertex inputs that nothing feeds are zero in all components; no family needs transfers of ownership"},
	{"memoryMapPlaced", "memory mapped at an address of one's own is also mapped where it was allocated"},
	{"memoryMapRangePlaced", ""},
	{"memoryPriority", ""},
	{"memoryUnmapReserve", "but of memory that was imported from a host's"},
	{"meshShader", ""},
	{"meshShaderQueries", ""},
	{"minLod", ""},
	{"multiDraw", ""},
	{"multisampledRenderToSingleSampled", ""},
	{"multiview", "a draw a view"},
	{"multiviewGeometryShader", ""},
	{"multiviewMeshShader", ""},
	{"multiviewTessellationShader", ""},
	{"mutableDescriptorType", ""},
	{"nestedCommandBuffer", ""},
	{"nestedCommandBufferRendering", ""},
	{"nestedCommandBufferSimultaneousUse", ""},
	{"noInvocationFragmentShadingRates", ""},
	{"nonSeamlessCubeMap", ""},
	{"nullDescriptor", ""},
	{"pageableDeviceLocalMemory", ""},
	{"pipelineBinaries", ""},
	{"pipelineCreationCacheControl", "whether a pipeline needs compilation is known from its shaders"},
	{"pipelineExecutableInfo", ""},
	{"pipelineFragmentShadingRate", ""},
	{"pipelineProtectedAccess", "nothing is protected"},
	{"pipelineRobustness", "accesses are always checked"},
	{"presentId", ""},
	{"presentId2", ""},
	{"presentWait", ""},
	{"presentWait2", ""},
	{"primitiveFragmentShadingRate", ""},
	{"primitiveFragmentShadingRateMeshShader", ""},
	{"primitiveRestartIndex", ""},
	{"primitiveTopologyListRestart", ""},
	{"primitiveTopologyPatchListRestart", ""},
	{"primitivesGeneratedQuery", ""},
	{"primitivesGeneratedQueryWithNonZeroStreams", ""},
	{"primitivesGeneratedQueryWithRasterizerDiscard", ""},
	{"privateData", ""},
	{"provokingVertexLast", ""},
	{"pushDescriptor", ""},
	{"rasterizationOrderColorAttachmentAccess", ""},
	{"rasterizationOrderDepthAttachmentAccess", ""},
	{"rasterizationOrderStencilAttachmentAccess", ""},
	{"rectangularLines", ""},
	{"relaxedLineRasterization", "lines of the default mode only"},
	{"reportAddressBinding", "of buffers, to which all addresses belong"},
	{"representativeFragmentTest", ""},
	{"robustBufferAccess2", ""},
	{"robustImageAccess", ""},
	{"robustImageAccess2", ""},
	{"runtimeDescriptorArray", ""},
	{"sampler2DViewOf3D", ""},
	{"samplerFilterMinmax", ""},
	{"samplerMirrorClampToEdge", ""},
	{"samplerYcbcrConversion", ""},
	{"scalarBlockLayout", ""},
	{"selectableCubicWeights", ""},
	{"separateDepthStencilLayouts", ""},
	{"shaderBFloat16DotProduct", "products are summed in binary32"},
	{"shaderBFloat16Type", ""},
	{"shaderBufferFloat16AtomicAdd", ""},
	{"shaderBufferFloat16AtomicMinMax", ""},
	{"shaderBufferFloat16Atomics", ""},
	{"shaderBufferFloat32AtomicAdd", ""},
	{"shaderBufferFloat32AtomicMinMax", ""},
	{"shaderBufferFloat32Atomics", ""},
	{"shaderBufferFloat64AtomicAdd", ""},
	{"shaderBufferFloat64AtomicMinMax", ""},
	{"shaderBufferFloat64Atomics", ""},
	{"shaderBufferInt64Atomics", ""},
	{"shaderDemoteToHelperInvocation", ""},
	{"shaderDrawParameters", ""},
	{"shaderEarlyAndLateFragmentTests", ""},
	{"shaderExpectAssume", ""},
	{"shaderFloat16", ""},
	{"shaderFloat8", ""},
	{"shaderFloatControls2", ""},
	{"shaderFmaFloat16", ""},
	{"shaderFmaFloat32", ""},
	{"shaderFmaFloat64", ""},
	{"shaderImageFloat32AtomicAdd", ""},
	{"shaderImageFloat32AtomicMinMax", ""},
	{"shaderImageFloat32Atomics", ""},
	{"shaderImageInt64Atomics", ""},
	{"shaderInputAttachmentArrayDynamicIndexing", ""},
	{"shaderInputAttachmentArrayNonUniformIndexing", ""},
	{"shaderInt8", ""},
	{"shaderIntegerDotProduct", ""},
	{"shaderMaximalReconvergence", ""},
	{"shaderModuleIdentifier", ""},
	{"shaderObject", ""},
	{"shaderOutputLayer", ""},
	{"shaderOutputViewportIndex", ""},
	{"shaderQuadControl", ""},
	{"shaderRawAccessChains", ""},
	{"shaderRelaxedExtendedInstruction", ""},
	{"shaderReplicatedComposites", ""},
	{"shaderSampledImageArrayNonUniformIndexing", ""},
	{"shaderSharedFloat16AtomicAdd", ""},
	{"shaderSharedFloat16AtomicMinMax", ""},
	{"shaderSharedFloat16Atomics", ""},
	{"shaderSharedFloat32AtomicAdd", ""},
	{"shaderSharedFloat32AtomicMinMax", ""},
	{"shaderSharedFloat32Atomics", ""},
	{"shaderSharedFloat64AtomicAdd", ""},
	{"shaderSharedFloat64AtomicMinMax", ""},
	{"shaderSharedFloat64Atomics", ""},
	{"shaderSharedInt64Atomics", ""},
	{"shaderStorageBufferArrayNonUniformIndexing", ""},
	{"shaderStorageImageArrayNonUniformIndexing", ""},
	{"shaderStorageTexelBufferArrayDynamicIndexing", ""},
	{"shaderStorageTexelBufferArrayNonUniformIndexing", ""},
	{"shaderSubgroupClock", ""},
	{"shaderSubgroupExtendedTypes", ""},
	{"shaderSubgroupPartitioned", ""},
	{"shaderSubgroupRotate", ""},
	{"shaderSubgroupRotateClustered", ""},
	{"shaderSubgroupUniformControlFlow", ""},
	{"shaderTerminateInvocation", ""},
	{"shaderTileImageColorReadAccess", ""},
	{"shaderTileImageDepthReadAccess", ""},
	{"shaderTileImageStencilReadAccess", ""},
	{"shaderUniformBufferArrayNonUniformIndexing", ""},
	{"shaderUniformBufferUnsizedArray", ""},
	{"shaderUniformTexelBufferArrayDynamicIndexing", ""},
	{"shaderUniformTexelBufferArrayNonUniformIndexing", ""},
	{"shaderUntypedPointers", ""},
	{"shaderZeroInitializeWorkgroupMemory", ""},
	{"shadingRateCoarseSampleOrder", ""},
	{"shadingRateImage", ""},
	{"smoothLines", ""},
	{"sparseImageFloat32AtomicAdd", ""},
	{"sparseImageFloat32AtomicMinMax", ""},
	{"sparseImageFloat32Atomics", ""},
	{"sparseImageInt64Atomics", ""},
	{"stippledBresenhamLines", ""},
	{"stippledRectangularLines", ""},
	{"stippledSmoothLines", ""},
	{"storageBuffer16BitAccess", ""},
	{"storageBuffer8BitAccess", ""},
	{"storageInputOutput16", ""},
	{"storagePushConstant16", ""},
	{"storagePushConstant8", ""},
	{"subgroupBroadcastDynamicId", ""},
	{"subgroupSizeControl", ""},
	{"subpassMergeFeedback", ""},
	{"supersampleFragmentShadingRates", ""},
	{"swapchainMaintenance1", ""},
	{"synchronization2", ""},
	{"taskShader", ""},
	{"texelBufferAlignment", ""},
	{"textureBlockMatch", ""},
	{"textureBlockMatch2", ""},
	{"textureBoxFilter", ""},
	{"textureCompressionASTC_3D", ""},
	{"textureCompressionASTC_HDR", ""},
	{"textureSampleWeighted", ""},
	{"timelineSemaphore", "queues wait in goroutines of their own"},
	{"transformFeedback", ""},
	{"transformFeedbackPreservesProvokingVertex", ""},
	{"unifiedImageLayouts", ""},
	{"uniformAndStorageBuffer16BitAccess", ""},
	{"uniformAndStorageBuffer8BitAccess", ""},
	{"uniformBufferStandardLayout", ""},
	{"variablePointers", ""},
	{"variablePointersStorageBuffer", ""},
	{"vertexAttributeInstanceRateDivisor", ""},
	{"vertexAttributeInstanceRateZeroDivisor", ""},
	{"vertexAttributeRobustness", ""},
	{"vertexInputDynamicState", "pipelines are linked again for each input state that they meet"},
	{"vulkanMemoryModel", ""},
	{"vulkanMemoryModelAvailabilityVisibilityChains", ""},
	{"vulkanMemoryModelDeviceScope", ""},
	{"workgroupMemoryExplicitLayout", ""},
	{"workgroupMemoryExplicitLayout16BitAccess", ""},
	{"workgroupMemoryExplicitLayout8BitAccess", ""},
	{"workgroupMemoryExplicitLayoutScalarBlockLayout", ""},
	{"ycbcr2plane444Formats", ""},
	{"ycbcrDegamma", ""},
	{"ycbcrImageArrays", ""},
	{"zeroInitializeDeviceMemory", ""},
}

// findExtension returns a row of a table, nil if there is none.
func findExtension(in []extension, name string) *extension {
	for i := range in {
		if in[i].name == name {
			return &in[i]
		}
	}
	return nil
}

// without returns the rows but for those of the given names.
func without(rows []extension, names []string) []extension {
	return slices.DeleteFunc(slices.Clone(rows), func(e extension) bool { return slices.Contains(names, e.name) })
}

// extensionProperties is a table as applications get it.
func extensionProperties(rows []extension) []abi.ExtensionProperties {
	out := make([]abi.ExtensionProperties, len(rows))
	for i, r := range rows {
		abi.PutString(out[i].ExtensionName[:], r.name)
		out[i].SpecVersion = r.spec
	}
	return out
}

// coreFeatures are the features of Vulkan 1.0.
func coreFeatures() (f abi.PhysicalDeviceFeatures) {
	have := engine.Features()
	convert(&f, &have)
	return f
}

// coreFeature says whether a feature of Vulkan 1.0 is on.
func coreFeature(name string) (on bool) {
	have := coreFeatures()
	eachField(&have, func(n string, p *abi.Bool32) { on = on || n == name && p.True() })
	return on
}

// supported says whether a feature beyond Vulkan 1.0 is on.
func supported(name string) bool {
	for _, f := range features {
		if f.name == name {
			return true
		}
	}
	return false
}

// fillFeatures writes what is on into one struct of a chain; it leaves unknown
// structs alone.
func fillFeatures(s *abi.Structure) {
	layout := abi.FeaturesStruct(s.SType)
	if layout == nil {
		return
	}
	for _, f := range layout.Fields {
		*(*abi.Bool32)(unsafe.Add(unsafe.Pointer(s), f.Offset)) = abi.Bool(supported(f.Name))
	}
}

// enabledFeatures collects the features that an application turns on with
// vkCreateDevice. ok is false if one of them is not supported.
func enabledFeatures(info *abi.DeviceCreateInfo) (on map[string]bool, ok bool) {
	on, ok = map[string]bool{}, true
	base := func(f *abi.PhysicalDeviceFeatures) {
		have := coreFeatures()
		eachField(f, func(name string, p *abi.Bool32) {
			if p.True() {
				on[name] = true
			}
		})
		eachField(&have, func(name string, p *abi.Bool32) {
			if on[name] && !p.True() {
				ok = false
			}
		})
	}
	if info.PEnabledFeatures != nil {
		base(info.PEnabledFeatures)
	}
	for s := range abi.Chain(info.PNext) {
		if s.SType == vk.StructureTypePhysicalDeviceFeatures2 {
			base(&(*abi.PhysicalDeviceFeatures2)(unsafe.Pointer(s)).Features)
			continue
		}
		layout := abi.FeaturesStruct(s.SType)
		if layout == nil {
			continue
		}
		for _, f := range layout.Fields {
			if (*(*abi.Bool32)(unsafe.Add(unsafe.Pointer(s), f.Offset))).True() {
				on[f.Name] = true
				ok = ok && supported(f.Name)
			}
		}
	}
	return on, ok
}
