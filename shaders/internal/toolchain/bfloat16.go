package toolchain

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// SPIR-V numbers that the rewriting needs, from the SPIR-V specification and SPV_KHR_bfloat16.
const (
	magic       = 0x07230203
	headerWords = 5

	opExtension    = 10
	opTypeFloat    = 22
	opCapability   = 17
	opTypeArray    = 28
	opTypeRuntime  = 29
	opTypeStruct   = 30
	opTypePointer  = 32
	opTypeFunction = 33
	opLoad         = 61
	opConvertFToU  = 109
	opConvertFToS  = 110
	opIsNan        = 156
	opSignBitSet   = 160
	opFOrdEqual    = 180
	opFUnordLast   = 191  // FUnordGreaterThanEqual
	opTypeMatrix   = 4456 // OpTypeCooperativeMatrixKHR

	capFloat16        = 9
	capBFloat16       = 5116 // BFloat16TypeKHR
	capBFloat16Matrix = 5118 // BFloat16CooperativeMatrixKHR
	encodingBFloat16  = 0    // BFloat16KHR
	bfloat16Extension = "SPV_KHR_bfloat16"
)

// instruction is one instruction of a module: its words, the first being length and opcode.
type instruction []uint32

func (i instruction) op() uint32 { return i[0] & 0xffff }

// instructions cuts a module after its header.
func instructions(words []uint32) ([]instruction, error) {
	if len(words) < headerWords || words[0] != magic {
		return nil, fmt.Errorf("no SPIR-V module")
	}
	var out []instruction
	for at := headerWords; at < len(words); {
		n := int(words[at] >> 16)
		if n == 0 || at+n > len(words) {
			return nil, fmt.Errorf("the instruction at word %d is %d words long, %d are left", at, n, len(words)-at)
		}
		out = append(out, words[at:at+n])
		at += n
	}
	return out, nil
}

// BFloat16 turns a module that holds float16 numbers into one that holds bfloat16: the 16-bit
// type gets that encoding, and capabilities and extension follow. Compilers whose GLSL has no
// bfloat16 can make such kernels so. The type may only be stored, loaded and be the
// component of cooperative matrices: what else a module does with it has another meaning,
// or none, for bfloat16 and is an error.
func BFloat16(words []uint32) ([]uint32, error) {
	list, err := instructions(words)
	if err != nil {
		return nil, err
	}
	half, err := halfType(list)
	if err != nil {
		return nil, err
	}
	if err := onlyStored(list, half); err != nil {
		return nil, err
	}
	out := slices.Clone(words[:headerWords])
	inCapabilities := true
	for _, i := range list {
		if inCapabilities && i.op() != opCapability {
			inCapabilities = false
			out = append(out, encode(opCapability, capBFloat16)...)
			out = append(out, encode(opCapability, capBFloat16Matrix)...)
			out = append(out, encode(opExtension, text(bfloat16Extension)...)...)
		}
		switch {
		case i.op() == opCapability && i[1] == capFloat16:
		case i.op() == opTypeFloat && i[1] == half:
			out = append(out, encode(opTypeFloat, half, 16, encodingBFloat16)...)
		default:
			out = append(out, i...)
		}
	}
	return out, nil
}

// halfType is the id of the module's float16 type.
func halfType(list []instruction) (uint32, error) {
	var half uint32
	capable := false
	for _, i := range list {
		switch {
		case i.op() == opCapability && len(i) == 2 && i[1] == capFloat16:
			capable = true
		case i.op() == opTypeFloat && len(i) > 3:
			return 0, fmt.Errorf("a float type has an encoding already")
		case i.op() == opTypeFloat && len(i) == 3 && i[2] == 16:
			half = i[1]
		}
	}
	if half == 0 || !capable {
		return 0, fmt.Errorf("the module has no float16 type and capability to rewrite")
	}
	return half, nil
}

// onlyStored makes sure that the type is a component of matrices and of memory alone.
func onlyStored(list []instruction, half uint32) error {
	values := map[uint32]bool{} // of the type
	for n, i := range list {
		if len(i) < 3 {
			continue
		}
		if asks(i.op()) && slices.ContainsFunc(i[3:], func(id uint32) bool { return values[id] }) {
			return fmt.Errorf("instruction %d (opcode %d) computes with float16: comparisons and conversions to integers are not stored bits", n, i.op())
		}
		switch i.op() {
		case opLoad:
			if i[1] == half {
				values[i[2]] = true
			}
			continue
		case opTypeFloat, opTypeMatrix, opTypeArray, opTypeRuntime, opTypeStruct, opTypePointer:
			continue
		case opTypeFunction:
			if slices.Contains(i[2:], half) {
				return fmt.Errorf("instruction %d passes float16 to or from a function", n)
			}
			continue
		}
		// The result type is the first operand; types made of the type have it second.
		if i[1] == half || isType(i.op()) && i[2] == half {
			return fmt.Errorf("instruction %d (opcode %d) computes with float16: only storage and cooperative matrices may use it", n, i.op())
		}
	}
	return nil
}

// isType says whether an opcode declares a type of components: vector and matrix.
func isType(op uint32) bool { return op == 23 || op == 24 }

// asks says whether an opcode computes something of another type from floats: an integer or a
// truth value. Widening them (OpFConvert) means the same for both encodings.
func asks(op uint32) bool {
	return op == opConvertFToU || op == opConvertFToS || op >= opIsNan && op <= opSignBitSet || op >= opFOrdEqual && op <= opFUnordLast
}

func encode(op uint32, operands ...uint32) instruction {
	return append(instruction{uint32(len(operands)+1)<<16 | op}, operands...)
}

// text is a literal string in words.
func text(s string) []uint32 {
	b := append([]byte(s), make([]byte, 4-len(s)%4)...)
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}
