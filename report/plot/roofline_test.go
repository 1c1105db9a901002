package plot

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

var plainWords = Words{
	Quantity: func(v float64, unit string) string { return fmt.Sprintf("%.4g %s", v, unit) },
	Clean:    func(s string) string { return s },
}

// lines is a result of two devices with roofs of 100 flop/s, 50 op/s and 10 B/s, and
// rows on one and on both.
func lined() (*result.Result, []result.Summary) {
	res := &result.Result{Plan: result.Plan{Preset: "default"}}
	for i := range 2 {
		res.Devices = append(res.Devices, result.Device{Index: i, Name: "GPU", Roofs: []result.Roof{
			{Name: "fp32", Unit: "flop/s", Value: 100, Measured: true}, {Name: "int32", Unit: "op/s", Value: 50, Measured: true},
			{Name: "memory", Unit: "B/s", Value: 10, Measured: true}, {Name: "fp16 matrix", Unit: "flop/s", Value: 800}}})
	}
	add := func(workload, arithmetic string, flops, bytes float64, devices ...int) {
		for launch := range 7 {
			t := result.Trial{Key: result.Key{Workload: workload, Mode: "strong", Size: result.Size{Label: "M", N: 1}}, Count: len(devices), Devices: devices,
				Launch: launch, Status: result.OK, Verified: true, Work: result.Work{Value: flops, Unit: "flop"}, Flops: flops, Bytes: bytes, Arithmetic: arithmetic}
			for k := range 5 {
				t.Samples = append(t.Samples, 1+0.01*float64((launch+k)%3))
			}
			res.Trials = append(res.Trials, t)
		}
	}
	add("a/compute", "", 50, 1, 0)
	add("a/stream", "", 4, 4, 0)
	add("a/hash", "int32", 25, 1, 0)
	add("a/compute", "", 100, 2, 0, 1)
	add("a/moves", result.NoArithmetic, 1, 10, 0)
	add("a/bytes", "", 0, 5, 0)
	rows, _, _ := stat.Summary(res)
	return res, rows
}

func TestRooflines(t *testing.T) {
	res, rows := lined()
	got := Rooflines(res, rows, plainWords)
	if len(got) != 3 || len(got[0].Points) != 3 || len(got[1].Points) != 0 || len(got[2].Points) != 1 || len(got[2].Team) != 2 {
		t.Fatalf("%+v", got)
	}
	for _, p := range got[0].Points {
		want := map[string]string{"a/compute M strong": "49.5\u00a0% of fp32", "a/stream M strong": "39.6\u00a0% of memory", "a/hash M strong": "49.5\u00a0% of int32"}[p.Name]
		if p.Share != want || p.Low == nil || *p.Low > p.Rate || *p.High < p.Rate {
			t.Errorf("%+v, want %q", p, want)
		}
	}
	both := got[2].Points[0]
	if both.Share != "49.5\u00a0% of fp32" || both.Intensity != 50 {
		t.Errorf("%+v", both)
	}
	text := fmt.Sprint(got[2].Graph.Lines)
	for _, want := range []string{"fp32: 200 flop/s (measured)", "memory: 20 B/s (measured)", "fp16 matrix: 1600 flop/s (nominal)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not drawn: %s", want, text)
		}
	}
}

func TestRooflineFiles(t *testing.T) {
	res, rows := lined()
	for _, l := range Rooflines(res, rows, plainWords) {
		data, err := l.Graph.PNG("roofline")
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil || picture.Bounds().Dx() < 400 {
			t.Errorf("%v, %v", picture, err)
		}
		text, err := l.Graph.SVG("roofline")
		if err != nil || !bytes.Contains(text, []byte("fp32")) || !bytes.Contains(text, []byte("roofline")) {
			t.Errorf("%v: %.200s", err, text)
		}
	}
}

func TestNoRooflineWithoutRoofs(t *testing.T) {
	res, rows := lined()
	for i := range res.Devices {
		res.Devices[i].Roofs = res.Devices[i].Roofs[:2] // no memory
	}
	if got := Rooflines(res, rows, plainWords); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	res.Devices[0].Roofs, res.Devices[0].Peak = nil, &result.Peak{Flops: 200, BytesPerSecond: 20}
	rows, _, _ = stat.Summary(res)
	got := Rooflines(res, rows, plainWords)
	if len(got) != 1 || !strings.Contains(got[0].Points[0].Share, "% of the highest roof") {
		t.Errorf("%+v", got)
	}
}

// TestLogAxisFillsItsPlace: the label of a logarithmic axis takes no room from the data.
func TestLogAxisFillsItsPlace(t *testing.T) {
	res, rows := lined()
	d, err := Rooflines(res, rows, plainWords)[0].Graph.build(light, onPage)
	if err != nil {
		t.Fatal(err)
	}
	area := d.plot.DataCanvas(draw.New(vgsvg.New(width, height)))
	if room := width - area.Max.X; room > 12 {
		t.Errorf("%v points beside the data", room)
	}
	if room := height - area.Max.Y; room > 12 {
		t.Errorf("%v points above the data", room)
	}
}
