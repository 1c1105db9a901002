package ingest_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/ingest"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

func read(t *testing.T, text string) *result.Result {
	t.Helper()
	res, err := ingest.CSV(strings.NewReader(text), "data.csv", "data")
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestSeconds(t *testing.T) {
	res := read(t, "count,seconds\n1,8\n2,4.2\n4,2.3\n")
	rows, laws, _ := stat.Summary(res)
	if len(rows) != 3 || rows[2].Workload != "data" || rows[2].Mode != "strong" || rows[2].Rate != nil {
		t.Fatalf("%+v", rows)
	}
	if e := rows[2].Efficiency; math.Abs(e.Value-8/2.3/4) > 1e-12 || e.Low != nil || rows[2].Seconds.Median != 2.3 {
		t.Errorf("%+v", rows[2])
	}
	if len(laws) != 1 || !laws[0].Amdahl.Identifiable || len(laws[0].KarpFlatt) != 2 {
		t.Errorf("%+v", laws)
	}
	for _, r := range rows {
		for _, w := range r.Warnings {
			t.Errorf("row of %d: %s", r.Count, w.Text) // said once for the file
		}
	}
}

func TestRatesModesAndRepetitions(t *testing.T) {
	var b strings.Builder
	b.WriteString("Workload; GPUs; Mode; Rate (img/s); Unit; Size; note\n")
	for i := range 7 {
		jitter := []string{"0", "1", "2", "3", "4", "5", "6"}[i]
		b.WriteString("resnet; 1; Weak; 149" + jitter + "; img/s; 256; a\n")
		b.WriteString("resnet; 4; weak; 572" + jitter + "; img/s; 256; b\n")
		b.WriteString("other; 2; ; 10; ; big; \n")
	}
	res := read(t, b.String())
	rows, _, warnings := stat.Summary(res)
	if len(rows) != 3 {
		t.Fatalf("%d rows", len(rows))
	}
	weak := rows[2]
	if weak.Workload != "resnet" || weak.Count != 4 || weak.Launches != 7 || weak.Rate.Unit != "img/s" || weak.Total != 1024 ||
		math.Abs(weak.Rate.Value-5723) > 1e-9 || weak.Efficiency.Low == nil {
		t.Errorf("%+v", weak)
	}
	if math.Abs(weak.Efficiency.Value-5723/(4*1493.)) > .001 {
		t.Errorf("E %+v", weak.Efficiency)
	}
	if o := rows[0]; o.Workload != "other" || o.Rate.Unit != "img/s" || o.Size.Label != "big" {
		t.Errorf("%+v", o)
	}
	said := ""
	for _, w := range warnings {
		said += w.Code + " " + w.Text + "\n"
	}
	for _, want := range []string{"imported from data.csv", `columns not used: "note"`, "times-from-rates"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said in %q", want, said)
		}
	}
}

// TestUnitsAndDecimalCommas: what a spreadsheet of another language writes.
func TestUnitsAndDecimalCommas(t *testing.T) {
	res := read(t, "\xef\xbb\xbf\"GPUs\";\"Time (ms)\"\r\n1;\"1,25\"\r\n2;0.75\r\n")
	if a, b := res.Trials[0].Samples[0], res.Trials[1].Samples[0]; math.Abs(a-1.25e-3) > 1e-15 || math.Abs(b-.75e-3) > 1e-15 {
		t.Errorf("%g and %g s", a, b)
	}
	res = read(t, "gpus,Throughput (Img/s)\n1,5\n2,9\n")
	if w := res.Trials[1].Work; w.Unit != "Img" {
		t.Errorf("%+v", w)
	}
	res = read(t, "gpus,rate (img/s),unit\n1,5,token/s\n")
	if w := res.Trials[0].Work; w.Unit != "token" {
		t.Errorf("%+v", w)
	}
}

// TestResultFile: what is imported is a result like any other.
func TestResultFile(t *testing.T) {
	res := read(t, "\xef\xbb\xbf# made by hand\n\ncount\tseconds\n1\t2\n2\t1\n")
	stat.Fill(res)
	var b bytes.Buffer
	if err := result.Encode(&b, res); err != nil {
		t.Fatal(err)
	}
	again, err := result.Decode(&b)
	if err != nil || len(again.Trials) != 2 || again.Plan.Preset != stat.Imported {
		t.Errorf("%v", err)
	}
}

func TestRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                        "line 1: the file is empty",
		"count,seconds\n":                         "line 1: no row follows",
		"seconds\n1\n":                            `line 1: no column "count"`,
		"count,speed\n1,1\n":                      `line 1: neither a column "seconds" nor "rate"`,
		"count,seconds,rate\n1,1,1\n":             "line 1: both seconds and rate",
		"count,n,rate\n1,1,1\n":                   "line 1: two columns give the count",
		"count,seconds\n1,1\n0,1\n":               `line 3: count "0"`,
		"count,seconds\n1.5,1\n":                  `line 2: count "1.5"`,
		"count,seconds\n99999999999,1\n":          `line 2: count`,
		"count,seconds\n1,-2\n":                   `line 2: seconds "-2"; it is a number above 0`,
		"count,seconds\n1,0\n":                    `line 2: seconds "0"`,
		"count,rate\n# x\n\n1,NaN\n":              `line 4: rate "NaN"`,
		"count,rate\n1,1e300\n":                   `line 2: rate "1e300"`,
		"count,rate\n1,fast\n":                    `line 2: rate "fast"`,
		"count,time (h)\n1,1\n":                   `line 1: the unit "h" of a time`,
		"count;rate\n1;1,234,5\n":                 `line 2: rate "1,234,5"`,
		"count\trate\n1\t1,5\n":                   `line 2: rate "1,5"`,
		"count,seconds\n1\n":                      "line 2: 1 fields, the heading has 2",
		"count,seconds,mode\n1,1,up\n":            `line 2: mode "up"; it is strong or weak`,
		"count,seconds,size\n1,1,-4\n":            `line 2: size "-4"`,
		"count,seconds\n1,\"2\n":                  "line 2: extraneous or missing",
		"count,rate,unit\n1,10,GB/s\n2,19,MB/s\n": `line 3: the unit "MB" after "GB"`,
	} {
		_, err := ingest.CSV(strings.NewReader(text), "d.csv", "d")
		if !errors.Is(err, ingest.ErrFormat) || !strings.Contains(err.Error(), "d.csv, "+want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestReadError(t *testing.T) {
	if _, err := ingest.CSV(broken{}, "d.csv", "d"); err == nil || errors.Is(err, ingest.ErrFormat) || !strings.Contains(err.Error(), "reading d.csv: the disk is gone") {
		t.Errorf("%v", err)
	}
}

// FuzzCSV: what is accepted can be summed up, written and read back.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{"count,seconds\n1,2\n2,1\n", "n;rate;mode;size;unit\n1;5;weak;7;img/s\n9;5e20;weak;9223372036854775807;\n",
		"gpus\ttime (s)\tworkload\n1\t1e-29\t\"a\n,b\"\n16777216\t1e30\tx\n", "n;time (ns)\r\n1;2,5\r\n", "\xef\xbb\xbf#c\ncount,x\n1,1\n1,1\n1,1\n2,3\n2,3\n2,3"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		res, err := ingest.CSV(bytes.NewReader(raw), "d.csv", "d")
		if err != nil {
			if !errors.Is(err, ingest.ErrFormat) {
				t.Fatalf("%v", err)
			}
			return
		}
		stat.Fill(res)
		var b bytes.Buffer
		if err := result.Encode(&b, res); err != nil {
			t.Fatal(err)
		}
		if _, err := result.Decode(&b); err != nil {
			t.Fatal(err)
		}
	})
}
