package lower

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// lower emits one instruction that is neither a merge nor a terminator.
func (c *compiler) lower(in *spirv.Inst) {
	c.pairs = c.pairs[:0]
	if row, ok := componentwise(in.Op); ok {
		c.sameShape(in)
		c.componentwise(in, row)
		return
	}
	if isGroupOp(in.Op) {
		c.groupOp(in)
		return
	}
	if op, ok := dense(in.Op); ok {
		c.sparse(in, op)
		return
	}
	switch in.Op {
	case spirv.OpNop, spirv.OpLine, spirv.OpNoLine, spirv.OpAssumeTrueKHR, spirv.OpExtInstWithForwardRefsKHR:
	case spirv.OpUndef:
		if _, err := c.k.Scalars(c.typ(in.Type)); err != nil {
			return // images, runtime arrays: a use is an error, none is not
		}
		v := &value{}
		for _, t := range c.flat(c.typ(in.Type)) {
			v.s = append(v.s, c.b.Const(t, 0))
		}
		c.set(v)
	case spirv.OpPhi:
		c.phi(in)
	case spirv.OpExtInst:
		c.extInst(in)
	case spirv.OpFunctionCall:
		c.functionCall(in)

	// Memory.
	case spirv.OpVariable:
		c.localVariable(in)
	case spirv.OpLoad:
		if p := c.pointerTo(in.ID(0)); p.space == spaceInput && len(p.obj.inputs) == 1 && p.obj.inputs[0].compute != nil && len(in.Operands) > 1 && in.Operands[1]&volatileAccess != 0 {
			// HelperInvocation changes with a demotion; a volatile load sees it.
			c.setScalars([]ir.Value{p.obj.inputs[0].compute()})
			return
		}
		v := c.load(c.accessed(in.ID(0), c.typ(in.Type)))
		if v.t.ID != in.Type {
			c.fail("a load of %v as %v", v.t, c.typ(in.Type))
		}
		c.set(v)
	case spirv.OpStore:
		if p := c.pointerTo(in.ID(0)); p.space != spaceTable { // which holds the value
			v := c.get(in.ID(1))
			c.store(c.accessed(in.ID(0), v.t), v)
		}
	case spirv.OpCopyMemory:
		c.copyMemory(in)
	case spirv.OpCopyMemorySized:
		c.copySized(in)
	case spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR, spirv.OpUntypedPtrAccessChainKHR, spirv.OpUntypedInBoundsPtrAccessChainKHR:
		c.untypedChain(in)
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
		c.accessChain(in)
	case spirv.OpRawAccessChainNV:
		c.rawChain(in)
	case spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain:
		c.ptrAccessChain(in)
	case spirv.OpPtrEqual, spirv.OpPtrNotEqual, spirv.OpPtrDiff:
		c.comparePointers(in)
	case spirv.OpConvertUToPtr, spirv.OpConvertPtrToU:
		c.convertPointer(in)
	case spirv.OpArrayLength, spirv.OpUntypedArrayLengthKHR:
		c.arrayLength(in)
	case spirv.OpImageTexelPointer, spirv.OpUntypedImageTexelPointerEXT:
		c.texelPointer(in)
	case spirv.OpBufferPointerEXT:
		c.bufferPointer(in)

	// Composites.
	case spirv.OpVectorExtractDynamic:
		c.vectorExtract(in)
	case spirv.OpVectorInsertDynamic:
		c.vectorInsert(in)
	case spirv.OpVectorShuffle:
		c.vectorShuffle(in)
	case spirv.OpCompositeConstruct:
		c.compositeConstruct(in)
	case spirv.OpCompositeConstructReplicateEXT:
		c.compositeReplicate(in)
	case spirv.OpCompositeExtract:
		c.compositeExtract(in)
	case spirv.OpCompositeInsert:
		c.compositeInsert(in)
	case spirv.OpCopyObject, spirv.OpCopyLogical, spirv.OpExpectKHR:
		v := *c.get(in.ID(0))
		c.set(&v)
	case spirv.OpTranspose:
		c.transpose(in)

	// Products.
	case spirv.OpVectorTimesScalar, spirv.OpMatrixTimesScalar:
		c.timesScalar(in)
	case spirv.OpMatrixTimesVector, spirv.OpVectorTimesMatrix, spirv.OpMatrixTimesMatrix, spirv.OpOuterProduct:
		c.matrixProduct(in)
	case spirv.OpDot:
		if t := c.elemOf(in.ID(0)); t.Coded != 0 {
			c.dotOfCodes(in, t)
			return
		}
		a := c.comps(in.ID(0), -1)
		c.setNumbers([]ir.Value{c.dot(a, c.comps(in.ID(1), len(a)))})
	case spirv.OpSDot, spirv.OpUDot, spirv.OpSUDot, spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat:
		c.integerDot(in)
	case spirv.OpIAddCarry, spirv.OpISubBorrow, spirv.OpUMulExtended, spirv.OpSMulExtended:
		c.extended(in)
	case spirv.OpAny, spirv.OpAll:
		s := c.scalars(in.ID(0), -1)
		op := ir.OpOr
		if in.Op == spirv.OpAll {
			op = ir.OpAnd
		}
		v := s[0]
		for _, x := range s[1:] {
			v = c.b.Op(op, ir.Bool, v, x)
		}
		c.setScalars([]ir.Value{v})
	case spirv.OpSelect:
		c.selectValue(in)
	case spirv.OpFmaKHR:
		c.each(in, 3, c.fused)
	case spirv.OpFMod:
		c.each(in, 2, func(a []ir.Value) ir.Value { return c.fmod(a[0], a[1]) })
	case spirv.OpBitReverse:
		c.bitReverse(in)
	case spirv.OpBitCount:
		c.bitCount(in)
	case spirv.OpBitFieldInsert:
		c.bitFieldInsert(in)
	case spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract:
		c.bitFieldExtract(in)
	case spirv.OpCooperativeMatrixLengthKHR, spirv.OpCooperativeMatrixLoadKHR,
		spirv.OpCooperativeMatrixStoreKHR, spirv.OpCooperativeMatrixMulAddKHR,
		spirv.OpCooperativeMatrixLengthNV, spirv.OpCooperativeMatrixLoadNV,
		spirv.OpCooperativeMatrixStoreNV, spirv.OpCooperativeMatrixMulAddNV:
		c.cooperativeOp(in)
	case spirv.OpCooperativeMatrixConvertUseEXT, spirv.OpCooperativeMatrixTransposeNV:
		c.cooperativeConversion(in)
	case spirv.OpCooperativeMatrixReduceEXT:
		c.cooperativeReduction(in)
	case spirv.OpCooperativeMatrixPerElementOpEXT:
		c.cooperativeFunction(in)
	case spirv.OpCooperativeMatrixLoadTensorNV, spirv.OpCooperativeMatrixStoreTensorNV:
		c.tensorAccess(in)
	case spirv.OpCreateTensorLayoutNV, spirv.OpTensorLayoutSetBlockSizeNV,
		spirv.OpTensorLayoutSetDimensionNV, spirv.OpTensorLayoutSetStrideNV,
		spirv.OpTensorLayoutSliceNV, spirv.OpTensorLayoutSetClampValueNV, spirv.OpCreateTensorViewNV,
		spirv.OpTensorViewSetDimensionNV, spirv.OpTensorViewSetStrideNV, spirv.OpTensorViewSetClipNV:
		c.tensorOp(in)
	case spirv.OpCooperativeVectorLoadNV, spirv.OpCooperativeVectorStoreNV,
		spirv.OpCooperativeVectorMatrixMulNV, spirv.OpCooperativeVectorMatrixMulAddNV,
		spirv.OpCooperativeVectorReduceSumAccumulateNV,
		spirv.OpCooperativeVectorOuterProductAccumulateNV:
		c.cooperativeVector(in)
	case spirv.OpFwidth, spirv.OpFwidthFine, spirv.OpFwidthCoarse:
		c.fwidth(in)

	// Images.
	case spirv.OpSampledImage, spirv.OpImage:
		c.combine(in)
	case spirv.OpImageSampleImplicitLod, spirv.OpImageSampleExplicitLod, spirv.OpImageSampleDrefImplicitLod,
		spirv.OpImageSampleDrefExplicitLod, spirv.OpImageSampleProjImplicitLod, spirv.OpImageSampleProjExplicitLod,
		spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageSampleProjDrefExplicitLod:
		c.imageSample(in)
	case spirv.OpImageFetch, spirv.OpImageRead:
		c.imageRead(in)
	case spirv.OpFragmentMaskFetchAMD, spirv.OpFragmentFetchAMD:
		c.fragmentFetch(in)
	case spirv.OpColorAttachmentReadEXT, spirv.OpDepthAttachmentReadEXT, spirv.OpStencilAttachmentReadEXT:
		c.tileRead(in)
	case spirv.OpBeginInvocationInterlockEXT, spirv.OpEndInvocationInterlockEXT: // RAS-313: batches hold no pixel twice.
	case spirv.OpImageGatherQCOM:
		c.imageGatherMode(in)
	case spirv.OpImageSampleFootprintNV:
		c.imageFootprint(in)
	case spirv.OpImageSampleWeightedQCOM, spirv.OpImageBoxFilterQCOM, spirv.OpImageBlockMatchSSDQCOM, spirv.OpImageBlockMatchSADQCOM,
		spirv.OpImageBlockMatchWindowSSDQCOM, spirv.OpImageBlockMatchWindowSADQCOM,
		spirv.OpImageBlockMatchGatherSSDQCOM, spirv.OpImageBlockMatchGatherSADQCOM:
		c.imageProcess(in)
	case spirv.OpImageGather, spirv.OpImageDrefGather:
		c.imageGather(in)
	case spirv.OpImageWrite:
		c.imageWrite(in)
	case spirv.OpImageQuerySizeLod, spirv.OpImageQuerySize, spirv.OpImageQueryLod, spirv.OpImageQueryLevels, spirv.OpImageQuerySamples:
		c.imageQuery(in)

	case spirv.OpImageSparseTexelsResident: // IMG-232, IMG-623
		c.setScalars([]ir.Value{c.b.Op(ir.OpIEq, ir.Bool, c.intScalar(in.ID(0)), c.b.I32(residentCode))})

	// Atomics, barriers, helpers.
	case spirv.OpAtomicLoad, spirv.OpAtomicStore, spirv.OpAtomicExchange, spirv.OpAtomicCompareExchange,
		spirv.OpAtomicIIncrement, spirv.OpAtomicIDecrement, spirv.OpAtomicIAdd, spirv.OpAtomicISub, spirv.OpAtomicSMin,
		spirv.OpAtomicUMin, spirv.OpAtomicSMax, spirv.OpAtomicUMax, spirv.OpAtomicAnd, spirv.OpAtomicOr, spirv.OpAtomicXor,
		spirv.OpAtomicFAddEXT, spirv.OpAtomicFMinEXT, spirv.OpAtomicFMaxEXT:
		c.atomic(in)
	case spirv.OpReadClockKHR:
		c.readClock(in)
	case spirv.OpSetMeshOutputsEXT:
		c.setMeshOutputs(in)
	case spirv.OpEmitVertex, spirv.OpEmitStreamVertex:
		c.emitVertex(in)
	case spirv.OpEndPrimitive, spirv.OpEndStreamPrimitive:
		c.endPrimitive(in)
	case spirv.OpControlBarrier:
		if c.workgroups() || c.p.Stage == ir.StageControl {
			c.p.UsesBarrier = true
			c.b.Op(ir.OpBarrier, ir.Void)
		}
	case spirv.OpMemoryBarrier:
		// Memory operations of an invocation are made in program order, and other invocations run in
		// the same batch or after a pipeline barrier. But engines cut batches, into parts of which a
		// subgroup may be several: its invocations ask how far others are by what it has together.
		if c.workgroups() && c.opt.subgroupSize() > MinSubgroupSize &&
			slices.ContainsFunc(c.m.Capabilities, spirv.Capability.Subgroups) {
			c.b.OpImm(ir.OpBarrier, ir.Void, uint64(ir.BarrierSubgroup))
		}
	case spirv.OpDemoteToHelperInvocation:
		c.demote()
	case spirv.OpIsHelperInvocationEXT:
		c.setScalars([]ir.Value{c.b.Op(ir.OpIsHelper, ir.Bool)})
	default:
		c.fail("unsupported instruction %v", in.Op)
	}
}

// volatileAccess is the bit Volatile of the memory operands.
const volatileAccess = 1

// each applies f to the components of n operands of the result's size.
func (c *compiler) each(in *spirv.Inst, n int, f func(a []ir.Value) ir.Value) {
	size := c.size(c.typ(in.Type))
	var ops [3][]ir.Value
	for k := range n {
		ops[k] = c.comps(in.ID(k), size)
	}
	out, a := c.values(size), c.values(n)
	for i := range out {
		for k := range a {
			a[k] = ops[k][i]
		}
		out[i] = f(a)
	}
	c.setNumbers(out)
}
