package html_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/html"
	"github.com/amgpu/amgpu/report/ingest"
	"github.com/amgpu/amgpu/report/result"
)

func load(t *testing.T, name string) *result.Result {
	t.Helper()
	res, err := result.Read("../testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func render(t *testing.T, res *result.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := html.Render(&b, res); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// dataLinks hold the raw data, which is long and may contain anything in base64.
var dataLinks = regexp.MustCompile(`"data:[^"]*"`)

func TestSaysWhatMatters(t *testing.T) {
	for name, wants := range map[string][]string{
		"scaling": {"4 workloads on 8x NVIDIA H100 80GB HBM3: 30 rows measured, 1 not measurable here, 1 failed.",
			"scales well", "wrong-result", "on 8 GPUs: output 1023 is 1.75", "of ideal on 8 GPUs (", "most is lost to transfer",
			"needs 160 GiB on device 5", "<svg", "Where the time goes", "Amdahl", "USL: not identifiable with 4 counts", "5f1d9a3c", "6.12.0"},
		"unequal": {"scales poorly", "an equal split can reach an efficiency of 0.572 at most", "devices each alone"},
		"quick":   {"quick look, no verdict", "no verdict may rest on them", "software devices"},
		"job": {"Nodes of the job", "2.70 µs", "0badcafe", `<td>node2</td><td class="n">1</td>`, "Open MPI v4.1.4", "node2 (0.94 of the median)", "3 on node2", "1 on node1 to 3 on node2 by mpi NET",
			"node node2 is slower than its peers"},
		"solo": {"solo rates", "2.56 TB/s to 2.85 TB/s, 2 devices each alone"},
	} {
		text := strings.ReplaceAll(render(t, load(t, name)), "&#43;", "+")
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not said", name, want)
			}
		}
	}
	if strings.Contains(render(t, load(t, "quick")), "scales well") {
		t.Error("a verdict rests on the quick preset")
	}
}

// TestImported: the page claims no measurement that did not happen.
func TestImported(t *testing.T) {
	res, err := ingest.CSV(strings.NewReader("count,rate\n1,20\n4,78\n8,130\n12,170\n16,190\n20,200\n"), "ray.csv", "ray")
	if err != nil {
		t.Fatal(err)
	}
	text := render(t, res)
	for _, want := range []string{"1 workload of imported data: 6 rows.", "neither measured nor verified", "kappa 0.001", "no verdict without an interval", "<svg"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said", want)
		}
	}
	for _, bad := range []string{"opening of a gate", "compared with a reference", "id=\"devices\"", "not attributable", "seed"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is said of imported data", bad)
		}
	}
}

// TestFactors: what the efficiency is made of, with intervals; below 80 % is marked.
func TestFactors(t *testing.T) {
	text := render(t, load(t, "unequal"))
	for _, want := range []string{"What the efficiency is made of", ">load balance</th>", "<b class=\"low\">70.0 %</b>", ">computation scaling</th>", "class=\"ci\""} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not there", want)
		}
	}
	if strings.Contains(render(t, load(t, "solo")), "What the efficiency is made of") {
		t.Error("factors of rows without scaling")
	}
}

// TestNoiseAndSlowDevice: what the machine is known for stands in the summary.
func TestNoiseAndSlowDevice(t *testing.T) {
	res := load(t, "solo")
	res.Noise = &result.Noise{Phi: .0123, Detectable: .034}
	text := render(t, res)
	for _, want := range []string{"Noise floor (A/A): 1.2 %, smallest detectable change 3.4 %", "device 1 (NVIDIA H100 80GB HBM3, PCI 0000:1b:00.0) alone is slower than its peers: 5.3 % below"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said", want)
		}
	}
}

// TestSelfContained: one script, no element that loads, no address but that of the
// SVG name space.
func TestSelfContained(t *testing.T) {
	for _, name := range []string{"scaling", "hostile"} {
		text := dataLinks.ReplaceAllString(render(t, load(t, name)), `""`)
		text = strings.ReplaceAll(text, `xmlns="http://www.w3.org/2000/svg"`, "")
		if n := strings.Count(text, "<script"); n != 1 {
			t.Errorf("%s: %d scripts", name, n)
		}
		for _, bad := range []string{"<link", "<img", "<iframe", "<object", "@import", "url(", "http:", "https:", "//example", " onload", "src=", "fetch(", "XMLHttp", "eval(", "innerHTML"} {
			// The hostile names themselves are there as text.
			if name == "hostile" && bad == "http:" || bad == "//example" || name == "hostile" && bad == "src=" {
				continue
			}
			if strings.Contains(text, bad) {
				t.Errorf("%s: the page contains %q", name, bad)
			}
		}
	}
}

func TestHostileNamesAreText(t *testing.T) {
	text := dataLinks.ReplaceAllString(render(t, load(t, "hostile")), `""`)
	if strings.ContainsAny(text, "\x1b\u202e") {
		t.Error("control characters reach the page")
	}
	if begin, end := strings.Count(text, "<title>"), strings.Count(text, "</title>"); begin != end {
		t.Errorf("%d titles with %d ends", begin, end)
	}
	if !strings.Contains(text, "&lt;script&gt;alert(&#34;x&#34;)") {
		t.Error("the name is not shown")
	}
}

// TestRawData: the page carries the whole result, compressed.
func TestRawData(t *testing.T) {
	res := load(t, "quick")
	links := regexp.MustCompile(`data-plain="results.json"><a download="results.json.gz" href="data:application/gzip;base64,([^"]*)"`).FindStringSubmatch(render(t, res))
	if links == nil {
		t.Fatal("no link to the data")
	}
	raw, err := base64.StdEncoding.DecodeString(strings.NewReplacer("&#43;", "+", "%2b", "+").Replace(links[1]))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	got, err := result.Decode(z)
	if err != nil || len(got.Trials) != len(res.Trials) || len(got.Summary) == 0 {
		t.Errorf("the data does not read back: %v", err)
	}
}

func TestEmptyResult(t *testing.T) {
	if !strings.Contains(render(t, &result.Result{}), "The result holds no trial.") {
		t.Error("an empty result says nothing")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteError(t *testing.T) {
	if err := html.Render(full{}, load(t, "quick")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("%v", err)
	}
}

// TestUncheckedIsNotCalledVerified: a page of a kernel without expected output claims
// of no row that it was compared with a reference.
func TestUncheckedIsNotCalledVerified(t *testing.T) {
	res := load(t, "solo")
	for i := range res.Trials {
		res.Trials[i].Verified = false
		res.Trials[i].Warnings = append(res.Trials[i].Warnings, result.Warning{Code: "unverified", Text: "no expected output"})
	}
	page := strings.Join(strings.Fields(render(t, res)), " ")
	if strings.Contains(page, "Every row was compared") || !strings.Contains(page, "Rows of a series marked verified were compared") || strings.Contains(page, "<span>verified</span>") {
		t.Error("the page says that unverified rows were compared with a reference")
	}
}
