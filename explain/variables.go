package explain

import (
	"slices"
	"strings"
)

// Variables are the variables of the source that the invocation has after a step, in the order in
// which they got their first value, each with the one that it has. Those of the function that runs
// are told, not those of its callers. Of variables of one name in one function it is the one that
// was assigned last.
func (s *Shader) Variables(step int) []Named {
	var calls [][]Named
	for i := range s.Steps[:min(step+1, len(s.Steps))] {
		in := &s.Steps[i]
		for len(calls) <= in.Depth {
			calls = append(calls, nil)
		}
		clear(calls[in.Depth+1:])
		calls = calls[:in.Depth+1]
		if in.Assigns != nil {
			calls[in.Depth] = assign(calls[in.Depth], *in.Assigns)
		}
	}
	if len(calls) == 0 {
		return nil
	}
	return calls[len(calls)-1]
}

// assign gives a variable, or a part of one, its value.
func assign(list []Named, v Named) []Named {
	list = slices.DeleteFunc(list, func(n Named) bool {
		part := strings.TrimPrefix(n.Name, v.Name)
		return part != n.Name && (strings.HasPrefix(part, ".") || strings.HasPrefix(part, "["))
	})
	if i := slices.IndexFunc(list, func(n Named) bool { return n.Name == v.Name }); i >= 0 {
		list[i] = v
		return list
	}
	return append(list, v)
}
