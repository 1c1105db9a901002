package own

import "slices"

// Numbers of the SPIR-V specification (unified 1.6), those that reflection reads.
const (
	opName, opMemberName                     = 5, 6
	opExtInstImport                          = 11
	opMemoryModel, opEntryPoint              = 14, 15
	opExecutionMode, opCapability            = 16, 17
	opTypeBool, opTypeInt, opTypeFloat       = 20, 21, 22
	opTypeVector, opTypeMatrix               = 23, 24
	opTypeArray, opTypeRuntime, opTypeStruct = 28, 29, 30
	opTypePointer                            = 32
	opTypeImage, opTypeSampler               = 25, 26
	opTypeSampledImage, opTypeOpaque         = 27, 31
	opTypeCooperativeKHR, opTypeRayQuery     = 4456, 4472
	opTypeAcceleration, opTypeCooperativeNV  = 5341, 5358
	opConstant, opConstantComposite          = 43, 44
	opSpecTrue, opSpecFalse, opSpecConstant  = 48, 49, 50
	opSpecComposite                          = 51
	opFunction, opFunctionEnd, opVariable    = 54, 56, 59
	opDecorate, opMemberDecorate             = 71, 72
	opExecutionModeID                        = 331

	modelCompute            = 5
	modeLocalSize           = 17
	modeLocalSizeID         = 38
	decSpecID, decBlock     = 1, 2
	decBufferBlock          = 3
	decArrayStride          = 6
	decBuiltIn              = 11
	decNonWritable          = 24
	decNonReadable          = 25
	decBinding, decSet      = 33, 34
	decOffset               = 35
	builtInWorkgroupSize    = 25
	classUniformConstant    = 0
	classUniform            = 2
	classWorkgroup          = 4
	classPush, classStorage = 9, 12
)

// id is what is known of one result id.
type id struct {
	op      uint32
	args    []uint32 // words after the result id
	typ     uint32   // type of a constant or variable
	name    string
	dec     map[uint32]uint32 // decoration -> first literal
	members map[uint32]*member
}

type member struct {
	name string
	dec  map[uint32]uint32
}

// reader walks a module.
type reader struct {
	words        []uint32
	bound        uint32
	ids          map[uint32]*id
	capabilities []uint32
	entries      []entryPoint
	modes        map[uint32][3]dim // by entry function
	modeIDs      map[uint32][3]uint32
	variables    []uint32
	specs        []uint32 // ids decorated as specialization constants, in order
	sizeID       uint32   // the constant decorated WorkgroupSize
	models       int
	functions    int
	open         int
}

type entryPoint struct {
	function uint32
	name     string
}

// get returns the record of an id, made at first use.
func (r *reader) get(n uint32) (*id, error) {
	if n == 0 || n >= r.bound {
		return nil, bad("damaged SPIR-V: id %d outside 1 to %d", n, r.bound-1)
	}
	if r.ids[n] == nil {
		r.ids[n] = &id{dec: map[uint32]uint32{}, members: map[uint32]*member{}}
	}
	return r.ids[n], nil
}

// walk reads every instruction once, checking lengths before looking inside.
func (r *reader) walk(at int) error {
	r.modes, r.modeIDs = map[uint32][3]dim{}, map[uint32][3]uint32{}
	for at < len(r.words) {
		op, n := r.words[at]&0xffff, int(r.words[at]>>16)
		if n == 0 || n > len(r.words)-at {
			return bad("SPIR-V ends in the middle: the instruction at word %d is %d words long, %d are left", at, n, len(r.words)-at)
		}
		if err := r.instruction(op, r.words[at+1:at+n]); err != nil {
			return err
		}
		at += n
	}
	if r.models != 1 || r.functions == 0 || r.open != 0 {
		return bad("damaged SPIR-V: %d memory models, %d functions of which %d do not end", r.models, r.functions, r.open)
	}
	return nil
}

// least is the number of words after the first that an instruction must have.
var least = map[uint32]int{
	opName: 2, opMemberName: 3, opExtInstImport: 2, opMemoryModel: 2, opEntryPoint: 3, opExecutionMode: 2, opCapability: 1,
	opTypeBool: 1, opTypeInt: 3, opTypeFloat: 2, opTypeVector: 3, opTypeMatrix: 3, opTypeArray: 3, opTypeRuntime: 2,
	opTypeStruct: 1, opTypePointer: 3, opConstant: 3, opConstantComposite: 2, opSpecTrue: 2, opSpecFalse: 2,
	opSpecConstant: 3, opSpecComposite: 2, opFunction: 4, opVariable: 3, opDecorate: 2, opMemberDecorate: 3, opExecutionModeID: 2,
}

func (r *reader) instruction(op uint32, a []uint32) error {
	if len(a) < least[op] {
		return bad("damaged SPIR-V: an instruction %d of %d words", op, len(a)+1)
	}
	switch op {
	case opCapability:
		r.capabilities = append(r.capabilities, a[0])
	case opMemoryModel:
		r.models++
		if a[0] != 0 { // addressing model: logical
			return bad("addressing model %d: only modules with logical addressing run in Vulkan without buffer addresses", a[0])
		}
	case opExtInstImport:
		if name := text(a[1:]); name != "GLSL.std.450" && (len(name) < 12 || name[:12] != "NonSemantic.") {
			return bad("instruction set %q: only GLSL.std.450 belongs to Vulkan", name)
		}
	case opEntryPoint:
		if a[0] == modelCompute {
			r.entries = append(r.entries, entryPoint{a[1], text(a[2:])})
		}
	case opExecutionMode, opExecutionModeID:
		return r.mode(a)
	case opFunction:
		r.functions++
		r.open++
	case opFunctionEnd:
		r.open--
		if r.open < 0 {
			return bad("damaged SPIR-V: a function ends that never began")
		}
	case opName:
		i, err := r.get(a[0])
		if err == nil {
			i.name = text(a[1:])
		}
		return err
	case opMemberName, opMemberDecorate:
		return r.memberNote(op, a)
	case opDecorate:
		return r.decorate(a)
	case opTypeBool, opTypeInt, opTypeFloat, opTypeVector, opTypeMatrix, opTypeArray, opTypeRuntime, opTypeStruct, opTypePointer:
		return r.define(a[0], op, 0, a[1:])
	case opTypeImage, opTypeSampler, opTypeSampledImage, opTypeOpaque, opTypeCooperativeKHR, opTypeCooperativeNV, opTypeRayQuery, opTypeAcceleration:
		// Nothing is read from these; variables and capabilities tell what is wrong.
		return r.define(first(a), op, 0, nil)
	case opConstant, opConstantComposite, opSpecTrue, opSpecFalse, opSpecConstant, opSpecComposite:
		return r.define(a[1], op, a[0], a[2:])
	case opVariable:
		if a[2] != 7 { // function-local ones do not matter
			r.variables = append(r.variables, a[1])
		}
		return r.define(a[1], op, a[0], a[2:])
	}
	return nil
}

func (r *reader) define(n, op, typ uint32, args []uint32) error {
	i, err := r.get(n)
	if err != nil {
		return err
	}
	if i.op != 0 {
		return bad("damaged SPIR-V: id %d is defined twice", n)
	}
	i.op, i.typ, i.args = op, typ, args
	return nil
}

// mode keeps the sizes of work-groups.
func (r *reader) mode(a []uint32) error {
	switch {
	case a[1] != modeLocalSize && a[1] != modeLocalSizeID:
		return nil
	case len(a) < 5:
		return bad("damaged SPIR-V: a work-group size of %d numbers", len(a)-2)
	case a[1] == modeLocalSize:
		r.modes[a[0]] = [3]dim{{a[2], -1}, {a[3], -1}, {a[4], -1}}
	default:
		r.modeIDs[a[0]] = [3]uint32{a[2], a[3], a[4]}
	}
	return nil
}

func (r *reader) memberNote(op uint32, a []uint32) error {
	i, err := r.get(a[0])
	if err != nil {
		return err
	}
	m := i.members[a[1]]
	if m == nil {
		m = &member{dec: map[uint32]uint32{}}
		i.members[a[1]] = m
	}
	if op == opMemberName {
		m.name = text(a[2:])
		return nil
	}
	m.dec[a[2]] = first(a[3:])
	return nil
}

func (r *reader) decorate(a []uint32) error {
	i, err := r.get(a[0])
	if err != nil {
		return err
	}
	i.dec[a[1]] = first(a[2:])
	switch {
	case a[1] == decSpecID && !slices.Contains(r.specs, a[0]):
		r.specs = append(r.specs, a[0])
	case a[1] == decBuiltIn && first(a[2:]) == builtInWorkgroupSize:
		r.sizeID = a[0]
	}
	return nil
}

func first(words []uint32) uint32 {
	if len(words) == 0 {
		return 0
	}
	return words[0]
}

// text decodes a string: bytes in little-endian words, ended by a zero. What does
// not print is replaced, names end up on terminals.
func text(words []uint32) string {
	var b []byte
	for _, w := range words {
		for range 4 {
			c := byte(w)
			if c == 0 {
				return string(b)
			}
			if c < 0x20 || c >= 0x7f {
				c = '?'
			}
			b = append(b, c)
			w >>= 8
		}
	}
	return string(b)
}
