package input

import "bytes"

// Kind is a format that the first bytes of a file tell of, in words; empty: none is known.
type Kind string

// Formats that workloads read.
const (
	Npy    Kind = "a NumPy array (.npy)"
	EDF    Kind = "EDF"
	Market Kind = "a Matrix Market file"
	Text   Kind = "text" // of ASCII characters
)

const (
	// headBytes is how much of a file its kind is told from.
	headBytes = 512
	// leastText keeps a number or two from being taken for letters.
	leastText = 8
)

// advice is what to do with a file of a kind where something else is wanted.
func (k Kind) advice(want string) string {
	for _, p := range packed {
		if k == p.kind {
			return "unpack it first and give " + want
		}
	}
	if k == wide {
		return "save it as UTF-8 and give " + want
	}
	return "give " + want
}

const wide Kind = "text in UTF-16"

type magic struct {
	at   int
	text string
	kind Kind
}

var packed = []magic{
	{0, "\x1f\x8b\x08", "compressed with gzip"}, {0, "BZh", "compressed with bzip2"}, {0, "\xfd7zXZ\x00", "compressed with xz"},
	{0, "\x28\xb5\x2f\xfd", "compressed with zstd"}, {0, "7z\xbc\xaf\x27\x1c", "a 7z archive"}, {0, "PK\x03\x04", "a zip archive (.npz is one)"},
	{257, "ustar", "a tar archive"},
}

var magics = []magic{
	{0, "\x93NUMPY", Npy}, {0, "\xffBIOSEMI", "BDF (24 bits)"}, {0, "\x89HDF\r\n\x1a\n", "HDF5"}, {0, "MATLAB 5.0 MAT", "a MATLAB file"},
	{0, "\x7fELF", "a program"}, {0, "%PDF", "PDF"}, {0, "\x89PNG\r\n", "PNG"}, {0, "RIFF", "RIFF (.wav)"}, {0, "SQLite format 3\x00", "an SQLite database"},
	{0, "\x03\x02\x23\x07", "SPIR-V"}, {0, "PAR1", "Parquet"}, {0, "ARROW1", "Arrow"}, {0, "GGUF", "GGUF"}, {0, "\x80\x02\x8a\x0a", "a Python pickle"},
}

// KindOf tells the format from the first bytes of a file, of which 512 are looked at.
func KindOf(head []byte) Kind {
	head = head[:min(len(head), headBytes)]
	for _, list := range [][]magic{packed, magics} {
		for _, m := range list {
			if len(head) > m.at && bytes.HasPrefix(head[m.at:], []byte(m.text)) {
				return m.kind
			}
		}
	}
	switch {
	case IsMarket(head):
		return Market
	case isEDF(head):
		return EDF
	case len(head) > 3 && (head[0] == 0xff && head[1] == 0xfe && head[3] == 0 || head[0] == 0xfe && head[1] == 0xff && head[2] == 0):
		return wide
	case isText(head):
		return Text
	}
	return ""
}

// IsMarket reports whether a text begins as a Matrix Market file does; some have one % only.
func IsMarket(head []byte) bool {
	const banner = "%MatrixMarket"
	head = TrimMark(head)
	if bytes.HasPrefix(head, []byte("%%")) {
		head = head[1:]
	}
	return len(head) >= len(banner) && bytes.EqualFold(head[:len(banner)], []byte(banner))
}

// isEDF reports whether a header of 256 bytes begins the file: version 0, text without ends
// of lines, a dot in the date.
func isEDF(head []byte) bool {
	return len(head) >= 256 && head[0] == '0' && len(bytes.TrimSpace(head[1:8])) == 0 && head[170] == '.' && bytes.IndexByte(head[:256], '\n') < 0
}

func isText(head []byte) bool {
	head = TrimMark(head)
	for _, c := range head {
		if (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return len(head) >= leastText
}

// TrimMark cuts off the byte order mark that some editors put in front of UTF-8.
func TrimMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) }
