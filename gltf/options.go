package gltf

import "github.com/pumice-gpu/pumice/budget"

// Options changes how a model is read. A nil *Options means the defaults.
type Options struct {
	// Budget is charged for the memory that reading takes (files, JSON, decoded
	// accessors, computed normals), as long as they live for the Document and its
	// poses, and for images while they are decoded. nil means one for this Document
	// alone, of budget.Default. With the same Budget in pumice.Config, what is drawn
	// of the model counts, too.
	Budget *budget.Budget
	// Up is the axis that points up in files whose format does not say so: OBJ, STL and PLY. It changes nothing of
	// glTF, where Y is up.
	Up UpAxis
	// Strict refuses a model with the first of what would be in Document.Losses.
	Strict bool
	// Assets is a folder beside the model's that files may lie in, too, or one that holds the
	// model's: URIs that lead out of the model's folder are followed where they lead there. It is
	// for Load; Read has its fsys. Empty: the model's folder alone.
	Assets string
}

// UpAxis is the axis of a file's coordinates that points up.
type UpAxis uint8

const (
	UpUsual UpAxis = iota // Z in STL files, which printers and CAD programs read; Y in OBJ and PLY files
	UpY
	UpZ
)

// String returns the axis' letter.
func (u UpAxis) String() string { return [...]string{"as usual", "Y", "Z"}[min(u, UpZ)] }

func (o *Options) up() UpAxis {
	if o == nil {
		return UpUsual
	}
	return min(o.Up, UpZ)
}

// assetsName is what errors tell people to give.
const assetsName = "--assets DIR (Options.Assets)"

func (o *Options) budget() *budget.Budget {
	if o == nil || o.Budget == nil {
		return budget.New(budget.Default, "Options.Budget")
	}
	return o.Budget
}

// take charges count elements of size bytes to the budget, for as long as the
// Document lives, or returns a *budget.Error.
func (l *loader) take(count, size int64) error {
	n := budget.Mul(count, size)
	if err := l.budget.Take(n); err != nil {
		return err
	}
	l.held += n
	return nil
}

// drop ends a charge of n bytes before.
func (l *loader) drop(n int64) {
	l.held -= n
	l.budget.Drop(n)
}
