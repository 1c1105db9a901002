package html

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"html/template"
	"math"
	"slices"

	"github.com/amgpu/amgpu/report/export"
	"github.com/amgpu/amgpu/report/result"
)

// download is data that the page carries. A compressed one can be saved as it is
// without scripts; with scripts the page unpacks it.
type download struct {
	Name, Text string
	Plain      string // name once unpacked; empty: not compressed
	Size       int64  // bytes unpacked
	URL        template.URL
}

// roomy is how large the compressed data may be, in bytes, before the device times of
// every sample are left out: a page of ten workloads must stay small enough to be sent.
const roomy = 600 << 10

// downloads puts the raw data of a result into the page itself. shown are the launches
// whose spans the page draws.
func downloads(s Source, letter string, shown map[rowKey]picks) ([]download, error) {
	if letter != "" {
		letter += "-"
	}
	text := "everything: every sample of every launch, in base units"
	packed, size, err := pack(s, roomy)
	if errors.Is(err, errRoom) {
		text = "every sample of every launch, in base units; left out because the page would be too large: device times of each sample, spans of launches that are not drawn (the result file has them)"
		packed, size, err = pack(lighter(s, shown), math.MaxInt)
	}
	if err != nil {
		return nil, err
	}
	var csv bytes.Buffer
	if err := export.CSV(&csv, s.Rows); err != nil {
		return nil, err
	}
	return []download{
		{letter + "results.json.gz", text, letter + "results.json", size, link("application/gzip", packed)},
		{letter + "summary.csv", "one line per row, full precision, units in the headings", "", 0, link("text/csv;charset=utf-8", csv.Bytes())},
	}, nil
}

// packLevel is how hard a result is compressed: where it holds many samples the best level
// takes eight times as long as the one used then, for a fourteenth less.
func packLevel(res *result.Result) int {
	samples := 0
	for i := range res.Trials {
		samples += len(res.Trials[i].Samples)
	}
	if samples > manySamples {
		return 3
	}
	return gzip.BestCompression
}

// manySamples make a page of several megabytes at any level.
const manySamples = 250_000

// errRoom says that packed data would be larger than allowed.
var errRoom = errors.New("too large")

// packer compresses as it is written to, up to a size.
type packer struct {
	out   bytes.Buffer
	gzip  *gzip.Writer
	size  int64 // bytes written
	limit int
}

// Write implements io.Writer.
func (p *packer) Write(b []byte) (int, error) {
	if p.out.Len() > p.limit {
		return 0, errRoom
	}
	n, err := p.gzip.Write(b)
	p.size += int64(n)
	return n, err
}

// pack is a result file, compressed, and its size before; errRoom if it becomes larger
// than limit, which is noticed on the way.
func pack(s Source, limit int) (packed []byte, size int64, err error) {
	p := &packer{limit: limit}
	if p.gzip, err = gzip.NewWriterLevel(&p.out, packLevel(s.Result)); err != nil {
		return nil, 0, err
	}
	if err := export.JSON(p, s.Result, s.Rows, s.Laws, s.Warnings); err != nil {
		return nil, 0, err
	}
	if err := p.gzip.Close(); err != nil {
		return nil, 0, err
	}
	if p.out.Len() > limit {
		return nil, 0, errRoom
	}
	return p.out.Bytes(), p.size, nil
}

// lighter is the result without the device times of samples and the spans that are
// not shown; it says so itself.
func lighter(s Source, shown map[rowKey]picks) Source {
	res := *s.Result
	res.Trials = slices.Clone(res.Trials)
	for i := range res.Trials {
		t := &res.Trials[i]
		t.Times = result.Times{}
		if shown[rowKey{t.Key, t.Count}].spans != &s.Result.Trials[i] {
			t.Spans = nil
		}
	}
	s.Result = &res
	s.Warnings = append(slices.Clone(s.Warnings), result.Warning{Code: "device-times-left-out",
		Text: "this copy was taken from a report: device times of the samples and spans were left out, so that losses cannot be attributed from it"})
	return s
}

func link(kind string, content []byte) template.URL {
	head := "data:" + kind + ";base64,"
	out := make([]byte, 0, len(head)+base64.StdEncoding.EncodedLen(len(content)))
	out = base64.StdEncoding.AppendEncode(append(out, head...), content)
	return template.URL(out)
}
