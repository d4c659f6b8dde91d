package exec

import "github.com/pumice-gpu/pumice/internal/ir"

// Windows are the descriptors that a program takes for the descriptors of count buffers, of which it
// reaches more than offsets of 32 bits do (ir.Resource.Windowed).
func Windows(of []Descriptor, count int) []Descriptor {
	out := make([]Descriptor, ir.Windows*count)
	for k := range of[:min(len(of), count)] {
		data := of[k].Data
		for w := 0; w < ir.Windows && len(data) > 0; w++ {
			out[w*count+k].Data = data[:min(len(data), ir.WindowReach)]
			data = data[min(len(data), ir.WindowBytes):]
		}
	}
	return out
}
