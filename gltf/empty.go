package gltf

// Empty says why nothing of the default scene is ever drawn; it is empty where something is.
func (d *Document) Empty() string {
	if d == nil {
		return "the document is nil"
	}
	scene := d.FindScene()
	shown := d.shown(scene)
	switch {
	case len(d.Meshes) == 0:
		return "the model has no mesh"
	case len(d.Nodes) == 0:
		return "no node places a mesh"
	case len(shown) == 0:
		return "its scene has no nodes"
	}
	hidden := d.alwaysHidden()
	meshes, vertices := false, false
	for _, i := range shown {
		n := &d.Nodes[i]
		if n.Mesh == None {
			continue
		}
		meshes = true
		for _, p := range d.Meshes[n.Mesh].Primitives {
			vertices = vertices || len(p.Positions) > 0
		}
		if vertices && !hidden[i] {
			return ""
		}
	}
	switch {
	case !meshes:
		return "no node of its scene has a mesh"
	case !vertices:
		return "the meshes of its scene have no vertices"
	}
	return "the nodes of its meshes are hidden"
}

// alwaysHidden says which nodes do not show at rest, where no animation changes that.
func (d *Document) alwaysHidden() []bool {
	hidden := make([]bool, len(d.Nodes))
	for _, a := range d.Animations {
		for i := range a.Channels {
			if a.Channels[i].Path == PathVisibility {
				return hidden
			}
		}
	}
	for _, n := range d.order {
		p := d.Nodes[n].Parent
		hidden[n] = d.Nodes[n].Hidden || p != None && hidden[p]
	}
	return hidden
}
