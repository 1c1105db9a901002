package program

// SourceKind says how an array's first contents arise.
type SourceKind uint8

const (
	// None: contents are undefined (the engine poisons outputs before a check).
	None SourceKind = iota
	// Zero fills with zero words.
	Zero
	// PhiloxRaw: word = first output of Philox4x32-10 at the global element index.
	PhiloxRaw
	// PhiloxF32: float32 A + (B-A)*u with u = (word>>8)*2^-24; product and sum
	// each rounded to float32, so a CPU reproduces it bit for bit.
	PhiloxF32
	// PhiloxMod: word mod Mod.
	PhiloxMod
	// PhiloxBits: word AND Keep OR Set, with the masks of index 0 for even elements and of
	// index 1 for odd ones: numbers of any format and width, with the exponents that the
	// masks leave.
	PhiloxBits
	// Iota: word = low 32 bits of the global element index (U32), or that as float32 (F32).
	Iota
	// Const: every word is Word.
	Const
	// Made: Make computes the words on the host, for what neither a formula over the
	// index nor a file of words holds, such as the rows of a graph.
	Made
	// File: the file Path, little-endian words, element 0 at Offset bytes; with Double,
	// float64 numbers, each rounded to float32. Elements beyond the end of the file are zero.
	File
)

// Source describes an array's first contents as a pure function of (seed,
// workload, array, global element index), so any device can make any part of
// it. For Local arrays the global index is the local one and the Philox array
// id is ID + rank<<16.
type Source struct {
	Kind   SourceKind
	ID     uint32 // Philox array id, unique within the workload
	A, B   float32
	Mod    uint32
	Word   uint32
	Keep   [2]uint32
	Set    [2]uint32
	Path   string
	Offset int64
	Double bool
	// Make fills into with the words from element first on: of the whole array, or for
	// Local arrays of the device of that rank. It may run on several goroutines at once.
	Make func(rank int, first int64, into []uint32)
}

// Random is a PhiloxF32 source uniform in [lo,hi).
func Random(id uint32, lo, hi float32) Source {
	return Source{Kind: PhiloxF32, ID: id, A: lo, B: hi}
}
