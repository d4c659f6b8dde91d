package spirv

import "slices"

// Where the elements of cooperative matrices are, and which sizes there are beside those of
// CooperativeProducts (SPV_NV_cooperative_matrix2).

// Scopes of cooperative matrices.
const (
	CooperativeWorkgroup = 2
	CooperativeSubgroup  = 3
)

// Limits of matrices with flexible dimensions.
const (
	// CooperativeGranularity divides the rows and columns of all such matrices, but that of rows of A,
	// C and results of subgroups is CooperativeSubgroupRows, and that of columns of A and rows of B of
	// workgroups CooperativeDepth, as long as each invocation has as many elements.
	CooperativeGranularity  = 16
	CooperativeSubgroupRows = 8
	CooperativeDepth        = 8
	// MaxCooperativeDimension bounds their rows and columns.
	MaxCooperativeDimension = 512
	// MaxCooperativeLength bounds the elements of one that an invocation has: as many as those of the
	// largest matrix in the smallest workgroup that may hold one.
	MaxCooperativeLength = 4096
)

// CooperativeInvocations are the sizes of workgroups that hold matrices together.
var CooperativeInvocations = []uint32{64, 128, 256}

// CooperativeSpread says how a matrix lies over the invocations that hold it. They lie in Rows rows
// of Wide columns, row by row, over a part of the matrix; and each has an element in each of these
// parts, of which so many (Parts) lie side by side. Element k of invocation i is that of row
// k/Parts·Rows + i/Wide and of column k%Parts·Wide + i%Wide.
type CooperativeSpread struct{ Rows, Wide, Parts, Length uint32 }

// Place is the row and column at which element k of invocation 0 is.
func (s CooperativeSpread) Place(k uint32) (row, column uint32) {
	return k / s.Parts * s.Rows, k % s.Parts * s.Wide
}

// flexible says that rows and columns are among those of flexible dimensions, of which those of
// CooperativeProducts are some.
func (s CooperativeShape) flexible() bool {
	ok := func(n, granularity uint32) bool {
		return n != 0 && n <= MaxCooperativeDimension && n%granularity == 0
	}
	rows, columns := uint32(CooperativeGranularity), uint32(CooperativeGranularity)
	switch {
	case s.Scope == CooperativeSubgroup && s.Use != matrixB:
		rows = CooperativeSubgroupRows
	case s.Scope == CooperativeWorkgroup && s.Use == matrixA:
		columns = CooperativeDepth
	case s.Scope == CooperativeWorkgroup && s.Use == matrixB:
		rows = CooperativeDepth
	}
	return ok(s.Rows, rows) && ok(s.Columns, columns)
}

// spread spreads a matrix over so many invocations. Of shapes that checkCooperatives refuses, it is
// any length. Rows are narrower than CooperativeColumns where columns are an odd number of eights, and
// wider where there are fewer rows than the invocations would take.
func (s CooperativeShape) spread(invocations uint32) (CooperativeSpread, bool) {
	if invocations == 0 || s.Rows > MaxCooperativeDimension || s.Columns > MaxCooperativeDimension ||
		s.Rows == 0 {
		return CooperativeSpread{}, false
	}
	w := min(invocations, CooperativeColumns, s.Columns&-s.Columns)
	if w = max(w, invocations/(s.Rows&-s.Rows)); w == 0 || s.Columns%w != 0 {
		return CooperativeSpread{}, false
	}
	p := CooperativeSpread{Rows: invocations / w, Wide: w, Parts: s.Columns / w}
	p.Length = s.Rows / p.Rows * p.Parts
	return p, p.Length != 0
}

// CooperativeSpread returns how a cooperative matrix lies over its invocations.
func (c *Constants) CooperativeSpread(t *Type) (CooperativeSpread, bool) {
	s, ok := c.Cooperative(t)
	if !ok {
		return CooperativeSpread{}, false
	}
	n := c.subgroup
	if s.Scope == CooperativeWorkgroup {
		n = c.workgroupSize()
	}
	return s.spread(n)
}

// CooperativeLength returns the number of components that an invocation has of a cooperative matrix.
func (c *Constants) CooperativeLength(t *Type) (uint32, bool) {
	p, ok := c.CooperativeSpread(t)
	return p.Length, ok && p.Length <= MaxCooperativeLength
}

// workgroupSize is the number of invocations of a workgroup, 0 where it is not known (yet).
func (c *Constants) workgroupSize() uint32 {
	switch {
	case c.entry == nil: // any of those that there may be
		return CooperativeInvocations[0]
	case c.workgroup != 0:
		return c.workgroup
	}
	n := uint32(1)
	for _, x := range c.m.localSize(c.entry, c) {
		n = min(n*min(x, maxWorkgroup), maxWorkgroup)
	}
	return n
}

// maxWorkgroup bounds the invocations that workgroupSize counts.
const maxWorkgroup = 1 << 10

// checkSpread demands invocations that may hold the matrix t together, and not more elements of it
// than one may have.
func (c *Constants) checkSpread(id ID, t *Type, s CooperativeShape) error {
	in := c.m.defs.At(id)
	const anchor = "OpTypeCooperativeMatrixKHR"
	if n := c.workgroupSize(); s.Scope == CooperativeWorkgroup &&
		!slices.Contains(CooperativeInvocations, n) {
		return in.errorf(anchor, "a cooperative matrix of a workgroup of %d invocations; %d may hold one",
			n, CooperativeInvocations)
	}
	if p, ok := c.CooperativeSpread(t); !ok || p.Length > MaxCooperativeLength {
		return in.errorf(anchor, "a matrix of %d rows and %d columns, of which an invocation would have "+
			"%d elements; %d is the limit, and of rows and columns %d", s.Rows, s.Columns, p.Length,
			MaxCooperativeLength, MaxCooperativeDimension)
	}
	return nil
}
