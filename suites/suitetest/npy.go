package suitetest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// Npy is a file in NumPy's format, version 1: a type such as <f4, a shape such as "2, 64",
// numbers of that type.
func Npy(descr, shape string, data any) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
	header += strings.Repeat(" ", (64-(10+len(header)+1)%64)%64) + "\n"
	var order binary.ByteOrder = binary.LittleEndian
	if descr[0] == '>' {
		order = binary.BigEndian
	}
	var f bytes.Buffer
	f.WriteString("\x93NUMPY\x01\x00")
	_ = binary.Write(&f, binary.LittleEndian, uint16(len(header))) // a buffer takes all
	f.WriteString(header)
	_ = binary.Write(&f, order, data)
	return f.Bytes()
}
