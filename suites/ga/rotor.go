package ga

import (
	"fmt"
	"math"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

const rotorNumber = 2

func init() { suites.Register(rotor{}) }

type rotor struct{}

// The variants of ga/rotor, its parameter mode.
const (
	modeShared  = 0 // one rotor for all multivectors
	modeEach    = 1 // one rotor per multivector
	modeVectors = 2 // one rotor for vectors, in quaternion form
)

// Components of what is rotated are uniform in [-1,1); rotorID makes the rotors.
var rotated = program.Random(0, -1, 1)

const rotorID = 1

func (rotor) Info() suites.Info {
	return suites.Info{
		ID: "ga/rotor", Number: rotorNumber,
		Doc: "Rotations in Cl(3,0); mode 0: one rotor for all multivectors, 1: one rotor per multivector, " +
			"2: one rotor for vectors, in quaternion form",
		Source:        "Amari",
		Formula:       "y = R x rev(R), R = cos(t/2) - sin(t/2) B, B a unit bivector; shared: t = 2.2, B = 0.48 e12 + 0.6 e13 + 0.64 e23",
		Sizes:         suites.Sizes{S: 1 << 14, M: 1 << 24, L: 1 << 28},
		SizeUnit:      "multivectors or vectors",
		Layout:        "a unit is a multivector, components in bitmask order 1, e1, e2, e12, e3, e13, e23, e123; with mode 2 four vectors, e1, e2, e3 each",
		WorkUnit:      "flop",
		Flops:         "240 per multivector, 30 per vector",
		Bytes:         "64 per multivector, 96 with a rotor each, 24 per vector",
		Splits:        []string{"ranges"},
		Communication: "none",
		Tolerance:     "E1 (n = 16, terms of both products), D0",
		Weak:          "elements proportional to the number of devices",
		Params: []suites.Param{{
			Name: "mode", Doc: "0 shared rotor, 1 rotor per element, 2 vectors only", Default: modeShared, Min: modeShared, Max: modeVectors,
		}},
	}
}

// Build stores four vectors as a unit, so that a unit is whole vec4; a size that is no
// multiple of four has up to three more, computed and checked like all others.
func (rotor) Build(b suites.Build) (*program.Program, error) {
	mode := b.Params["mode"]
	if b.Size < 1 || b.Size > maxSize || mode < modeShared || mode > modeVectors {
		return nil, fmt.Errorf("size %d, mode %d: choose 1 to %d multivectors and a mode of 0, 1 or 2", b.Size, mode, int64(maxSize))
	}
	n := float64(b.Size)
	p := &program.Program{Units: b.Size, Flops: 240 * n, Bytes: 64 * n, Kernels: []program.Kernel{{Name: "main", Shader: "ga/rotor"}}}
	stride, push := int64(8), evenWords(sharedRotor())
	bind := []program.Binding{{Array: "y", Access: program.Write}, {Array: "x", Access: program.Read}, {Array: "x", Access: program.Read}}
	switch mode {
	case modeEach:
		p.Bytes = 96 * n
		p.Kernels[0].Spec = []program.Spec{{ID: 1, Value: 1}}
		bind[2].Array = "R"
	case modeVectors:
		p.Units, stride = (b.Size+3)/4, 12
		p.Flops, p.Bytes = 30*n, 24*n
		p.Kernels[0].Shader = "ga/rotate"
		bind = bind[:2]
		// The axial vector of the rotor: e23, -e13 and e12 of -R.
		r := sharedRotor()
		push = []uint32{f32(r[0]), f32(-r[6]), f32(r[5]), f32(-r[3])}
	}
	p.Work = p.Flops
	p.Shares = b.Divide(p.Units, 32)
	array := func(name string, s program.Source) program.Array {
		return program.Array{Name: name, Elem: program.F32, Layout: program.Split, Units: p.Units, Stride: stride, Source: s}
	}
	out := array("y", program.Source{})
	out.Output = true
	p.Arrays = []program.Array{out, array("x", rotated)}
	if mode == modeEach {
		seed := b.Seed
		p.Arrays = append(p.Arrays, array("R", program.Source{Kind: program.Made, ID: rotorID, Make: func(_ int, first int64, into []uint32) {
			makeRotors(seed, first, into)
		}}))
	}
	d := program.Dispatch{Label: "rotate", Kernel: "main", Bind: bind}
	for _, s := range p.Shares {
		d.On = append(d.On, program.Launch{Units: s.Len(), Div: 256, Push: push})
	}
	p.Steps = []program.Step{d}
	return p, nil
}

func f32(x float64) uint32 { return math.Float32bits(float32(x)) }

// evenWords is the components 1, e12, e13, e23.
func evenWords(r Multivector) []uint32 { return []uint32{f32(r[0]), f32(r[3]), f32(r[5]), f32(r[6])} }

// newRotor is cos(t/2) - sin(t/2) B as float32 values, B = b12 e12 + b13 e13 + b23 e23
// made a unit bivector.
func newRotor(t, b12, b13, b23 float64) Multivector {
	norm := math.Sqrt(b12*b12 + b13*b13 + b23*b23)
	if norm == 0 {
		b12, norm = 1, 1
	}
	s, c := math.Sincos(t / 2)
	r := Multivector{0: c, 3: -s * b12 / norm, 5: -s * b13 / norm, 6: -s * b23 / norm}
	for i, x := range r {
		r[i] = float64(float32(x))
	}
	return r
}

// sharedTurn is the angle and the bivector of the shared rotor.
var sharedTurn = [4]float64{2.2, 0.48, 0.6, 0.64}

func rotorOf(turn [4]float64) Multivector { return newRotor(turn[0], turn[1], turn[2], turn[3]) }

func sharedRotor() Multivector { return rotorOf(sharedTurn) }

// plane draws the angle, in [0, 2 pi), and the bivector of element i.
func plane(seed uint64, i int64) (t, b12, b13, b23 float64) {
	w := suites.Philox([4]uint32{uint32(i), uint32(uint64(i) >> 32), rotorID, rotorNumber}, [2]uint32{uint32(seed), uint32(seed >> 32)})
	unit := func(w uint32) float64 { return float64(w>>8) * 0x1p-24 }
	return 2 * math.Pi * unit(w[0]), 2*unit(w[1]) - 1, 2*unit(w[2]) - 1, 2*unit(w[3]) - 1
}

// makeRotors is the source of R: eight words per element from word first on.
func makeRotors(seed uint64, first int64, into []uint32) {
	for at := 0; at < len(into); {
		i, j := (first+int64(at))/8, (first+int64(at))%8
		r := newRotor(plane(seed, i))
		for _, x := range r[j:] {
			if at < len(into) {
				into[at] = f32(x)
				at++
			}
		}
	}
}
