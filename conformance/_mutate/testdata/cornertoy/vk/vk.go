// Package vk is what the toy's users choose from.
package vk

type Filter int32

const (
	FilterNearest Filter = iota
	FilterLinear
	FilterCubic
)
