package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// node is one element of the registry, or, where tag is empty, a run of text. Members of structs are C declarations with markup
// inside ("const <type>T</type>* <name>p</name>[4]"), so text and elements must keep their order.
type node struct {
	tag      string
	attrs    map[string]string
	text     string
	children []*node
}

// parse reads a whole registry file into a tree of nodes and returns its root element.
func parse(r io.Reader) (*node, error) {
	top := &node{}
	stack := []*node{top}
	d := xml.NewDecoder(r)
	for {
		t, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("registry: %w", err)
		}
		last := stack[len(stack)-1]
		switch t := t.(type) {
		case xml.StartElement:
			n := &node{tag: t.Name.Local, attrs: make(map[string]string, len(t.Attr))}
			for _, a := range t.Attr {
				n.attrs[a.Name.Local] = a.Value
			}
			last.children = append(last.children, n)
			stack = append(stack, n)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			last.children = append(last.children, &node{text: string(t)})
		}
	}
	for _, n := range top.children {
		if n.tag == "registry" {
			return n, nil
		}
	}
	return nil, fmt.Errorf("registry: the root element is not <registry>")
}

// all returns the child elements called tag.
func (n *node) all(tag string) []*node {
	var out []*node
	for _, c := range n.children {
		if c.tag == tag {
			out = append(out, c)
		}
	}
	return out
}

// content returns the text of the node without markup and without comment elements.
func (n *node) content() string {
	if n.tag == "" {
		return n.text
	}
	var b strings.Builder
	for _, c := range n.children {
		if c.tag != "comment" {
			b.WriteString(c.content())
		}
	}
	return b.String()
}

// child returns the text of the first child element called tag, or "".
func (n *node) child(tag string) string {
	for _, c := range n.all(tag) {
		return strings.TrimSpace(c.content())
	}
	return ""
}

// name returns the name attribute, or the text of the <name> element.
func (n *node) name() string {
	if s := n.attrs["name"]; s != "" {
		return s
	}
	return n.child("name")
}

// forVulkan says whether an element belongs to the API "vulkan" (as opposed to Vulkan SC only). No api attribute means all APIs.
func (n *node) forVulkan(attr string) bool {
	s, ok := n.attrs[attr]
	if !ok {
		return true
	}
	for _, a := range strings.Split(s, ",") {
		if a == "vulkan" {
			return true
		}
	}
	return false
}
