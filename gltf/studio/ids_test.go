package studio

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/gltf"
)

// A number's bits are those of its colour in another order: each bit has one of its own, so that no two numbers
// share a colour.
func TestIDColor_MovesBits(t *testing.T) {
	pack := func(n int) uint32 {
		c := idColor(n)
		if c.A != 255 {
			t.Fatalf("%d: alpha %d", n, c.A)
		}
		return uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B)
	}
	var all uint32
	for bit := range 24 {
		c := pack(1 << bit)
		if bits.OnesCount32(c) != 1 || all&c != 0 {
			t.Fatalf("bit %d is %06x, those below are %06x", bit, c, all)
		}
		all |= c
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		a, b := random.IntN(1<<24), random.IntN(1<<24)
		if pack(a)|pack(b) != pack(a|b) {
			t.Fatalf("%06x or %06x: %06x, %06x, together %06x", a, b, pack(a), pack(b), pack(a|b))
		}
	}
	if pack(mostIDs) != 0xffffff {
		t.Errorf("the last is %06x", pack(mostIDs))
	}
}

// Beyond the colours of 24 bits there are no numbers.
func TestNumbering_Ends(t *testing.T) {
	doc := &gltf.Document{File: "many.gltf", Meshes: []*gltf.Mesh{{Primitives: make([]*gltf.Primitive, 1<<12)}}, Nodes: make([]gltf.Node, 1<<12)}
	n := (&Model{doc: doc}).numbers()
	last := gltf.Item{Node: 1<<12 - 1, PrimitiveIndex: 1<<12 - 2}
	if got, err := n.of(&last); err != nil || got != mostIDs {
		t.Errorf("%d, %v", got, err)
	}
	last.PrimitiveIndex++
	if got, err := n.of(&last); err == nil || !strings.Contains(err.Error(), "many.gltf: nodes[4095]") {
		t.Errorf("one more: %d, %v", got, err)
	}
}
