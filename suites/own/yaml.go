package own

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/amgpu/amgpu/internal/near"
)

const maxYAMLBytes = 1 << 20

// ReadKernel reads a description. Paths in it are relative to its folder.
func ReadKernel(path string) (*Kernel, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	k, err := ParseKernel(f)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, path)
	}
	if k.Name == "" {
		k.Name = defaultName(path)
	}
	k.Name, k.path = fitName(k.Name), path
	for i := range k.Bindings {
		for _, file := range []*string{&k.Bindings[i].File, &k.Bindings[i].ExpectFile} {
			if *file != "" && !filepath.IsAbs(*file) {
				*file = filepath.Join(filepath.Dir(path), *file)
			}
		}
	}
	return k, nil
}

// ParseKernel reads a description and checks it on its own, without its shader.
func ParseKernel(r io.Reader) (*Kernel, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxYAMLBytes+1))
	if err != nil {
		return nil, bad("%v", err)
	}
	if len(data) > maxYAMLBytes {
		return nil, bad("a description of more than %d bytes", maxYAMLBytes)
	}
	var doc, more yaml.Node
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, bad("the description is empty: `amgpu kernel init FILE.spv` writes one to begin with")
	case err != nil:
		return nil, bad("%v", err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, bad("line %d: a second document: describe one kernel in a file", more.Line)
	}
	k := &Kernel{Entry: "main", Width: 1, Multiple: 1}
	if err := k.read(doc.Content[0]); err != nil {
		return nil, bad("%v", err)
	}
	if err := k.check(); err != nil {
		return nil, bad("%v", err)
	}
	return k, nil
}

// field reads one key of a mapping.
type field func(*yaml.Node) error

// mapping hands every key of a node to its field. Unknown and repeated keys and
// aliases are errors with their line.
func mapping(n *yaml.Node, fields map[string]field) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: expected `key: value` pairs", n.Line)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, ok := fields[key.Value]
		switch {
		case !ok:
			return fmt.Errorf("line %d: no key %q here%s", key.Line, key.Value, near.HintOrAll(key.Value, keys(fields)))
		case seen[key.Value]:
			return fmt.Errorf("line %d: %s is given twice", key.Line, key.Value)
		case value.Kind == yaml.AliasNode:
			return fmt.Errorf("line %d: %s: aliases are not understood, write the value out", key.Line, key.Value)
		}
		seen[key.Value] = true
		if err := read(value); err != nil {
			return fmt.Errorf("line %d: %s: %w", value.Line, key.Value, err)
		}
	}
	return nil
}

func (k *Kernel) read(n *yaml.Node) error {
	return mapping(n, map[string]field{
		"name":      str(&k.Name),
		"entry":     str(&k.Entry),
		"n":         k.readSizes,
		"divide":    k.readDivide,
		"width":     whole(&k.Width, 1, 1<<30),
		"halo":      whole(&k.Halo, 0, 1<<20),
		"wrap":      boolean(&k.Wrap),
		"multiple":  whole(&k.Multiple, 1, 1<<30),
		"groups":    k.readGroups,
		"bindings":  list(func(n *yaml.Node) error { return k.readBinding(n) }, maxBindings),
		"push":      list(func(n *yaml.Node) error { return k.readPush(n) }, maxPush/4),
		"spec":      list(func(n *yaml.Node) error { return k.readSpec(n) }, 64),
		"flops":     expression(&k.Flops),
		"bytes":     expression(&k.Bytes),
		"unchecked": boolean(&k.Unchecked),
	})
}

func (k *Kernel) readSizes(n *yaml.Node) error {
	const most = 1 << 48
	if n.Kind == yaml.ScalarNode {
		err := whole(&k.Sizes.S, 1, most)(n)
		k.Sizes.M, k.Sizes.L = k.Sizes.S, k.Sizes.S
		return err
	}
	err := mapping(n, map[string]field{"S": whole(&k.Sizes.S, 1, most), "M": whole(&k.Sizes.M, 1, most), "L": whole(&k.Sizes.L, 1, most)})
	if err == nil && k.Sizes.S == 0 {
		err = errors.New("no S: the size for software devices")
	}
	if k.Sizes.M == 0 {
		k.Sizes.M = k.Sizes.S
	}
	if k.Sizes.L == 0 {
		k.Sizes.L = k.Sizes.M
	}
	return err
}

func (k *Kernel) readDivide(n *yaml.Node) error {
	var how string
	if err := oneOf(&how, "elements", "rows")(n); err != nil {
		return err
	}
	k.Rows = how == "rows"
	return nil
}

func (k *Kernel) readGroups(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return expression(&k.Groups[0])(n)
	}
	i := 0
	return list(func(n *yaml.Node) error {
		i++
		return expression(&k.Groups[i-1])(n)
	}, 3)(n)
}

func (k *Kernel) readBinding(n *yaml.Node) error {
	b := Binding{Number: -1, High: 1, Tolerance: -1, line: n.Line}
	number, mod := int64(-1), int64(0)
	err := mapping(n, map[string]field{
		"binding": whole(&number, 0, maxBindings-1), "type": oneOf(&b.Type, keys(types)...), "count": expression(&b.Count),
		"access": oneOf(&b.Access, keys(accesses)...), "fill": oneOf(&b.Fill, fills...), "value": b.readValue,
		"range": func(n *yaml.Node) error { return span(n, &b.Low, &b.High) }, "mod": whole(&mod, 1, math.MaxUint32), "file": str(&b.File),
		"expect": expression(&b.Expect), "expect_file": str(&b.ExpectFile), "tolerance": tolerance(&b.Tolerance),
	})
	b.Number, b.Mod = int(number), uint32(mod)
	k.Bindings = append(k.Bindings, b)
	return err
}

// readValue reads the value of `fill: constant`.
func (b *Binding) readValue(n *yaml.Node) error {
	b.valued = true
	return float(&b.Value)(n)
}

// fillIn stands in a starting description for a push value that only the kernel's
// author knows.
const fillIn = "FILL_IN"

func (k *Kernel) readPush(n *yaml.Node) error {
	var p Push
	value := func(n *yaml.Node) error {
		if n.Value == fillIn {
			return errors.New("fill it in: what the kernel expects here is not in the module; write an expression such as n (the units of a share) or a number")
		}
		return expression(&p.Value)(n)
	}
	err := mapping(n, map[string]field{"name": str(&p.Name), "type": oneOf(&p.Type, "f32", "i32", "u32", "i64", "u64"), "value": value})
	if err == nil && (p.Type == "" || p.Value == nil) {
		err = fmt.Errorf("line %d: a push value needs type and value", n.Line)
	}
	k.Push = append(k.Push, p)
	return err
}

func (k *Kernel) readSpec(n *yaml.Node) error {
	s := SpecValue{Value: math.NaN()}
	id := int64(-1)
	err := mapping(n, map[string]field{"id": whole(&id, 0, math.MaxUint32), "name": str(&s.Name), "type": oneOf(&s.Type, "bool", "f32", "i32", "u32"), "value": float(&s.Value)})
	if err == nil && (id < 0 || s.Type == "" || math.IsNaN(s.Value)) {
		err = fmt.Errorf("line %d: a specialization constant needs id, type and value", n.Line)
	}
	s.ID = uint32(id)
	k.Spec = append(k.Spec, s)
	return err
}

// The readers of values.
