package engine

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/shaders"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
)

// Push constants: the header of every dispatch (program.Dispatch) and the limit
// every Vulkan device keeps.
const (
	headerWords = 3
	pushLimit   = 128
)

// kernelSet holds the kernels and descriptor sets of one device.
type kernelSet struct {
	kernels map[string]*vk.Kernel // program kernels by name, engine kernels by shader
	sets    map[string]*vk.Set
}

// loadKernels builds the program's pipelines on every device at once.
func (s *Session) loadKernels() error {
	bindings := map[string]int{}
	push := map[string]int{}
	walk(append(append([]program.Step{}, s.prog.Setup...), s.prog.Steps...), func(st program.Step) {
		if d, ok := st.(program.Dispatch); ok {
			bindings[d.Kernel] = max(bindings[d.Kernel], len(d.Bind))
			for _, l := range d.On {
				words := headerWords + len(d.Bind) + len(l.Push)
				if d.Own != nil {
					block, _ := d.Own(0, max(l.Units, 1))
					words = len(block)
				}
				push[d.Kernel] = max(push[d.Kernel], words*wordBytes)
			}
		}
	})
	for name, bytes := range push {
		if bytes > pushLimit {
			return fmt.Errorf("kernel %s: %d bytes of push constants, the limit is %d", name, bytes, pushLimit)
		}
	}
	s.sets = make([]kernelSet, len(s.workers))
	return s.each(func(i int, d *vk.Device) error {
		s.sets[i] = kernelSet{map[string]*vk.Kernel{}, map[string]*vk.Set{}}
		for _, k := range s.prog.Kernels {
			if _, used := bindings[k.Name]; !used {
				continue
			}
			spec := make([]vk.SpecConst, len(k.Spec))
			for j, c := range k.Spec {
				spec[j] = vk.SpecConst{ID: c.ID, Value: c.Value}
			}
			// Not every launch of a kernel fills all words: the range is the largest.
			var kern *vk.Kernel
			var err error
			if k.Module != nil {
				kern, err = ownKernel(d, k, bindings[k.Name], push[k.Name], spec)
			} else {
				kern, err = builtIn(d, k, bindings[k.Name], push[k.Name], spec)
			}
			if err != nil {
				return err
			}
			s.sets[i].kernels[k.Name] = kern
		}
		return nil
	})
}

// newKernel builds one of the engine's own kernels.
func newKernel(d *vk.Device, shader string, bindings, pushBytes int, spec []vk.SpecConst) (*vk.Kernel, error) {
	return builtIn(d, program.Kernel{Shader: shader}, bindings, pushBytes, spec)
}

// builtIn builds a kernel of a shader in this program.
func builtIn(d *vk.Device, k program.Kernel, bindings, pushBytes int, spec []vk.SpecConst) (*vk.Kernel, error) {
	if err := checkMatrix(d.Info(), k); err != nil {
		return nil, err
	}
	words, hash, err := shaders.Load(k.Shader)
	if err != nil {
		return nil, err
	}
	return d.NewKernel(words, vk.KernelOptions{Name: k.Shader, Bindings: bindings, PushBytes: pushBytes, Spec: spec, Hash: hash, Subgroup: k.Subgroup})
}

// ownKernel builds a kernel that brings its own module.
func ownKernel(d *vk.Device, k program.Kernel, bindings, pushBytes int, spec []vk.SpecConst) (*vk.Kernel, error) {
	m, l := k.Module, d.Info().Limits
	total := int64(1)
	for i, size := range m.GroupSize {
		total *= max(int64(size), 1)
		if most := l.GroupSize[i]; most > 0 && size > most {
			return nil, unsupported("kernel %s: work-groups of %d in dimension %d, %s allows %d", k.Shader, size, i, d.Info().Name, most)
		}
	}
	switch {
	case total > int64(l.Invocations):
		return nil, unsupported("kernel %s: work-groups of %d invocations, %s allows %d", k.Shader, total, d.Info().Name, l.Invocations)
	case m.Shared > int64(l.SharedMemory):
		return nil, unsupported("kernel %s: %d bytes of shared memory, %s has %d", k.Shader, m.Shared, d.Info().Name, l.SharedMemory)
	}
	return d.NewKernel(m.Words, vk.KernelOptions{Name: k.Shader, Bindings: bindings, PushBytes: pushBytes, Spec: spec, Hash: m.Hash, Entry: m.Entry})
}

// needs are the features that the program's kernels use, each once.
func needs(p *program.Program) []string {
	var out []string
	for _, k := range p.Kernels {
		out = append(out, k.Needs...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// kernelName tells an engine's kernel from the same shader with other constants.
func kernelName(shader string, spec []vk.SpecConst) string {
	if len(spec) == 0 {
		return shader
	}
	return fmt.Sprint(shader, spec)
}

// engineKernel returns one of the engine's own kernels on device i, built at
// first use. It must run on the device's thread.
func (s *Session) engineKernel(i int, d *vk.Device, shader string, bindings, pushWords int, spec ...vk.SpecConst) (*vk.Kernel, error) {
	name := kernelName(shader, spec)
	if k := s.sets[i].kernels[name]; k != nil {
		return k, nil
	}
	k, err := newKernel(d, shader, bindings, pushWords*wordBytes, spec)
	if err != nil {
		return nil, err
	}
	s.sets[i].kernels[name] = k
	return k, nil
}

// set returns the descriptor set of a kernel for these ranges; equal ranges
// share one. It must run on the device's thread.
func (s *Session) set(i int, d *vk.Device, name string, k *vk.Kernel, ranges []vk.BufferRange) (*vk.Set, error) {
	key := []byte(name)
	for _, r := range ranges {
		key = fmt.Appendf(key, "|%p", r.Buffer)
		key = binary.LittleEndian.AppendUint64(key, r.Offset)
		key = binary.LittleEndian.AppendUint64(key, r.Size)
	}
	if set := s.sets[i].sets[string(key)]; set != nil {
		return set, nil
	}
	set, err := d.NewSet(k, ranges)
	if err != nil {
		return nil, err
	}
	s.sets[i].sets[string(key)] = set
	return set, nil
}

// engineOp makes a dispatch of one of the engine's kernels on device i with one
// invocation per count/perGroup.
func (s *Session) engineOp(i int, shader string, ranges []vk.BufferRange, push []uint32, groups int64, spec ...vk.SpecConst) (vk.Op, error) {
	var op vk.Op
	err := s.workers[i].do(func(d *vk.Device) error {
		k, err := s.engineKernel(i, d, shader, len(ranges), len(push), spec...)
		if err != nil {
			return err
		}
		set, err := s.set(i, d, kernelName(shader, spec), k, ranges)
		if err != nil {
			return err
		}
		op = vk.Op{Kind: vk.OpDispatch, Kernel: k, Set: set, Push: push, Groups: grid(groups)}
		return nil
	})
	return op, err
}

// walk visits every step, bodies of repeats once.
func walk(steps []program.Step, f func(program.Step)) {
	for _, st := range steps {
		f(st)
		switch st := st.(type) {
		case program.Repeat:
			walk(st.Body, f)
		case program.Overlap:
			walk([]program.Step{st.Comm}, f)
			for _, d := range st.Body {
				f(d)
			}
		}
	}
}

// dispatches counts the dispatches of a list of steps, repeats unrolled.
func dispatches(steps []program.Step) int {
	n := 0
	for _, st := range steps {
		switch st := st.(type) {
		case program.Dispatch:
			n++
		case program.Overlap:
			n += len(st.Body)
		case program.Repeat:
			n += st.Times * dispatches(st.Body)
		}
	}
	return n
}
