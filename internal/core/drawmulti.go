package core

// DrawMulti draws vertices as draw number index of a command that makes several
// (vkCmdDrawMultiEXT): shaders see the number as DrawIndex.
func (c *CommandBuffer) DrawMulti(op Op, index, vertices, instances, firstVertex, firstInstance uint32) {
	if c.ok(op, 1) && c.checkDraw(op) {
		c.emit(opDraw, vertices, instances, firstVertex, firstInstance, index)
	}
}

// DrawMultiIndexed is DrawMulti with indices.
func (c *CommandBuffer) DrawMultiIndexed(op Op, index, indices, instances, firstIndex uint32, vertexOffset int32, firstInstance uint32) {
	if c.ok(op, 1) && c.checkDraw(op) && c.checkIndexed(op) {
		c.emit(opDrawIndexed, indices, instances, firstIndex, uint32(vertexOffset), firstInstance, index)
	}
}

// drawIndex is the argument at n of a draw, where DrawMulti has put one.
func drawIndex(a []uint32, n int) uint32 {
	if len(a) > n {
		return a[n]
	}
	return 0
}
