package main

import (
	"strconv"
	"strings"
)

// later are the extensions that the driver offers and version 1.3.239 of Vulkan does not
// have: the capture layer of that time cuts the chain where it meets one of their structs,
// so that what is behind gets lost, too, and programs such as Chromium lose their device.
var later = [...]string{
	"VK_EXT_attachment_feedback_loop_dynamic_state",
	"VK_EXT_depth_bias_control",
	"VK_EXT_depth_clamp_control",
	"VK_EXT_descriptor_heap",
	"VK_EXT_device_generated_commands",
	"VK_EXT_dynamic_rendering_unused_attachments",
	"VK_EXT_external_memory_acquire_unmodified",
	"VK_EXT_fragment_density_map_offset",
	"VK_EXT_frame_boundary",
	"VK_EXT_host_image_copy",
	"VK_EXT_image_sliced_view_of_3d",
	"VK_EXT_legacy_vertex_attributes",
	"VK_EXT_map_memory_placed",
	"VK_EXT_nested_command_buffer",
	"VK_EXT_primitive_restart_index",
	"VK_EXT_shader_float8",
	"VK_EXT_shader_long_vector",
	"VK_EXT_shader_object",
	"VK_EXT_shader_replicated_composites",
	"VK_EXT_shader_subgroup_partitioned",
	"VK_EXT_shader_tile_image",
	"VK_EXT_texture_compression_astc_3d",
	"VK_EXT_vertex_attribute_robustness",
	"VK_EXT_zero_initialize_device_memory",
	"VK_IMG_relaxed_line_rasterization",
	"VK_KHR_calibrated_timestamps",
	"VK_KHR_compute_shader_derivatives",
	"VK_KHR_cooperative_matrix",
	"VK_KHR_copy_memory_indirect",
	"VK_KHR_depth_clamp_zero_one",
	"VK_KHR_device_address_commands",
	"VK_KHR_dynamic_rendering_local_read",
	"VK_KHR_extended_flags",
	"VK_KHR_index_type_uint8",
	"VK_KHR_internally_synchronized_queues",
	"VK_KHR_line_rasterization",
	"VK_KHR_load_store_op_none",
	"VK_KHR_maintenance10",
	"VK_KHR_maintenance5",
	"VK_KHR_maintenance6",
	"VK_KHR_maintenance7",
	"VK_KHR_maintenance8",
	"VK_KHR_maintenance9",
	"VK_KHR_map_memory2",
	"VK_KHR_pipeline_binary",
	"VK_KHR_present_id2",
	"VK_KHR_present_wait2",
	"VK_KHR_robustness2",
	"VK_KHR_shader_bfloat16",
	"VK_KHR_shader_expect_assume",
	"VK_KHR_shader_float_controls2",
	"VK_KHR_shader_fma",
	"VK_KHR_shader_maximal_reconvergence",
	"VK_KHR_shader_quad_control",
	"VK_KHR_shader_relaxed_extended_instruction",
	"VK_KHR_shader_subgroup_rotate",
	"VK_KHR_shader_untyped_pointers",
	"VK_KHR_surface_maintenance1",
	"VK_KHR_swapchain_maintenance1",
	"VK_KHR_unified_image_layouts",
	"VK_KHR_vertex_attribute_divisor",
	"VK_NV_cooperative_vector",
	"VK_QCOM_filter_cubic_clamp",
	"VK_QCOM_filter_cubic_weights",
	"VK_QCOM_image_processing2",
	"VK_QCOM_image_processing3",
	"VK_QCOM_ycbcr_degamma",
	"VK_VALVE_fragment_density_map_layered",
}

// unrepeated are those that the layer records and its replayer does not repeat: memory
// and semaphores by file descriptors, which have other numbers then, pipelines linked
// from libraries, and fences of presents, which it presents without: then it asks for ever
// whether one that the program had found signaled is.
var unrepeated = [...]string{
	"VK_EXT_external_memory_dma_buf",
	"VK_EXT_graphics_pipeline_library",
	"VK_EXT_swapchain_maintenance1",
	"VK_KHR_external_fence_fd",
	"VK_KHR_external_memory_fd",
	"VK_KHR_external_semaphore_fd",
}

// knowsLater says whether a layer written for this version of Vulkan may know them.
func knowsLater(version string) bool {
	var have [3]int
	for i, part := range strings.SplitN(version, ".", 3) {
		n, err := strconv.Atoi(part)
		if err != nil {
			return false
		}
		have[i] = n
	}
	return have[0] > 1 || have[1] > 3 || have[1] == 3 && have[2] > 239
}

// reduced adds to env what keeps the driver to what a layer of that time can do. What is
// set already stays.
func reduced(env []string) []string {
	for name, value := range map[string]string{"PUMICE_WITHOUT": strings.Join(append(later[:], unrepeated[:]...), ","), "PUMICE_API_VERSION": "1.3"} {
		set := false
		for _, v := range env {
			set = set || strings.HasPrefix(v, name+"=")
		}
		if !set {
			env = append(env, name+"="+value)
		}
	}
	return env
}
