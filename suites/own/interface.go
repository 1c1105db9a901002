package own

// Storage buffers up to this binding can be bound (the engine's limit).
const maxBindings = 32

// variable notes what a module-scope variable means for the outside.
func (r *reader) variable(m *Module, v *id) error {
	n, t, err := r.pointee(v)
	if err != nil {
		return err
	}
	switch class := v.arg(0); {
	case class == classWorkgroup:
		size, err := r.size(n, 0)
		if err != nil {
			return err
		}
		m.Shared += size
		if m.Shared > maxSize {
			return bad("damaged SPIR-V: %d bytes of shared memory", m.Shared)
		}
		return nil
	case class == classPush:
		return r.push(m, n, t)
	case class == classUniformConstant:
		return bad("binding %d%s is an image or sampler: amgpu binds storage buffers only", v.dec[decBinding], Buffer{Name: v.name}.called())
	case class == classStorage || class == classUniform && r.bufferBlock(t):
		return r.buffer(m, v, n, t)
	case class == classUniform:
		return bad("binding %d%s is a uniform buffer: make it a storage buffer or push constants", v.dec[decBinding], Buffer{Name: v.name}.called())
	}
	return nil // built-in inputs and private variables
}

// bufferBlock says whether a structure is a storage buffer as modules before
// SPIR-V 1.3 declare it.
func (r *reader) bufferBlock(t *id) bool {
	_, ok := t.dec[decBufferBlock]
	return ok
}

func (r *reader) buffer(m *Module, v *id, n uint32, t *id) error {
	b := Buffer{Set: v.dec[decSet], Binding: v.dec[decBinding], Name: v.name, Per: 1}
	if b.Name == "" {
		b.Name = t.name
	}
	switch _, has := v.dec[decBinding]; {
	case t.op != opTypeStruct:
		return bad("binding %d%s is an array of buffers: give each its own binding", b.Binding, b.called())
	case !has:
		return bad("a storage buffer%s without a binding number", b.called())
	case b.Set != 0:
		return bad("binding %d%s is in descriptor set %d: amgpu binds set 0", b.Binding, b.called(), b.Set)
	case b.Binding >= maxBindings:
		return bad("binding %d%s: use binding numbers below %d", b.Binding, b.called(), maxBindings)
	}
	b.Readonly, b.Written = r.decorated(v, t, decNonWritable), r.decorated(v, t, decNonReadable)
	r.extent(&b, n, t)
	m.Buffers = append(m.Buffers, b)
	return nil
}

// maxStride bounds the bytes of one element of a runtime array.
const maxStride = 1 << 20

// extent notes how long a buffer is. Sizes that the module does not tell plainly are
// left at one word for each element.
func (r *reader) extent(b *Buffer, n uint32, t *id) {
	fixed, err := r.size(n, 0)
	if err != nil || len(t.args) == 0 {
		return
	}
	array := r.ids[t.args[len(t.args)-1]]
	if array == nil || array.op != opTypeRuntime {
		b.Fixed, b.Per = fixed, 0
		return
	}
	stride := int64(array.dec[decArrayStride])
	if len(t.args) == 1 {
		b.Type, b.Per = r.scalar(array.arg(0), 0)
		b.Per = max(b.Per, 1)
	} else {
		b.Fixed = fixed
	}
	if stride > 0 && stride <= maxStride {
		each := int64(wordBytes)
		if b.Type != "" {
			each = types[b.Type]
		}
		b.Per = max((stride+each-1)/each, 1)
	}
}

// decorated says whether a variable, or every member of its structure, carries a
// decoration.
func (r *reader) decorated(v, t *id, dec uint32) bool {
	if _, ok := v.dec[dec]; ok {
		return true
	}
	for k := range t.args {
		m := t.members[uint32(k)]
		if m == nil {
			return false
		}
		if _, ok := m.dec[dec]; !ok {
			return false
		}
	}
	return len(t.args) > 0
}

func (r *reader) push(m *Module, n uint32, t *id) error {
	size, err := r.size(n, 0)
	if err != nil {
		return err
	}
	if size > maxPush {
		return bad("%d bytes of push constants: every Vulkan device allows %d, not more", size, maxPush)
	}
	m.Push = max(m.Push, int(size))
	for k, arg := range t.args {
		var w Member
		if d := t.members[uint32(k)]; d != nil {
			w.Offset, w.Name = d.dec[decOffset], d.name
		}
		if w.Size, err = r.size(arg, 0); err != nil {
			return err
		}
		var per int64
		if w.Type, per = r.scalar(arg, 0); per != 1 {
			w.Type = ""
		}
		m.PushWord = append(m.PushWord, w)
	}
	return nil
}

// maxPush is the least limit of push constants, in bytes.
const maxPush = 128
