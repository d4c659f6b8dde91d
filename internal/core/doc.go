// Package core holds the objects of the implementation: devices, memory,
// resources, descriptors, pipelines, command buffers and queues, with Vulkan's
// validation. It speaks Vulkan's structs and has two faces: the Go API (package
// pumice) and the Vulkan driver. Neither adds rules; both only translate.
//
// A CommandBuffer is a compact stream of words with a table of the objects it
// names. A queue decodes the stream on its own goroutine and hands passes to
// package render, copies to package transfer. Objects count the submissions that
// use them, so that memory outlives a Close until the work is done.
package core
