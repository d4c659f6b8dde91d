package vm

// imageState is what a thread needs for image instructions.
type imageState struct{}

func (s *imageState) init(r *routine, n int) {}

func (t *thread) image(in *instr) {
	for _, d := range t.r.aux[in.c].results {
		clear(t.v[d])
	}
}
