package rules

import "fmt"

// catalogue lists the numbers of a catalogue's rules as ranges.
type catalogue [][2]int

// The rules of the two catalogues, and their computed corner cases.
var catalogues = map[string]catalogue{
	"IMG": {{1, 12}, {20, 32}, {40, 50}, {60, 65}, {70, 75}, {100, 117}, {120, 127}, {130, 133}, {135, 158}, {160, 167}, {170, 190}, {195, 196}, {200, 205}, {215, 218}, {220, 223}, {230, 234}, {240, 260}, {290, 297}, {300, 307}, {310, 317}, {320, 323}, {325, 330}, {335, 346}, {350, 362}, {370, 383}, {390, 392}, {396, 404}, {410, 417}, {425, 434}, {445, 453}, {460, 466}, {475, 477}, {480, 482}, {484, 486}, {500, 506}, {515, 523}, {530, 535}, {540, 543}, {545, 547}, {550, 552}, {555, 557}, {560, 568}, {575, 580}, {590, 592}, {596, 598}, {605, 612}, {620, 623}, {630, 639}, {650, 656}, {660, 665}, {670, 677}, {700, 705}, {750, 769}, {800, 807}, {810, 816}, {820, 826}, {840, 853}, {860, 883}},
	"RAS": {{1, 378}},
	"TC":  {{1, 80}},
	"RC":  {{1, 76}},
}

// All returns the rules of a catalogue ("IMG" or "RAS") or its corner cases ("TC",
// "RC"), in order.
func All(prefix string) []string {
	width := 3
	if prefix == "TC" || prefix == "RC" {
		width = 2
	}
	var out []string
	for _, r := range catalogues[prefix] {
		for n := r[0]; n <= r[1]; n++ {
			out = append(out, fmt.Sprintf("%s-%0*d", prefix, width, n))
		}
	}
	return out
}
