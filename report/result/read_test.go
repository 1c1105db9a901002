package result_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

func TestReadRefuses(t *testing.T) {
	good := string(encode(t, sample()))
	edit := func(from, to string) string {
		out := strings.Replace(good, from, to, 1)
		if out == good {
			t.Fatalf("nothing replaced for %q", from)
		}
		return out
	}
	for name, c := range map[string]struct {
		text string
		kind error
		says string
	}{
		"empty":           {"", result.ErrMalformed, "empty"},
		"white space":     {" \n", result.ErrMalformed, "empty"},
		"truncated":       {good[:len(good)/2], result.ErrMalformed, "truncated"},
		"last byte gone":  {strings.TrimSpace(good)[:len(strings.TrimSpace(good))-1], result.ErrMalformed, "truncated"},
		"binary":          {"\x7fELF\x02\x01\x01\x00", result.ErrMalformed, "not a readable"},
		"zeros":           {strings.Repeat("\x00", 4096), result.ErrMalformed, "not a readable"},
		"a list":          {"[]", result.ErrMalformed, "not an amgpu result"},
		"null":            {"null", result.ErrMalformed, "not an amgpu result"},
		"other JSON":      {`{"name":"x"}`, result.ErrMalformed, `no "schema"`},
		"other schema":    {edit("amgpu/v1", "sarif/2"), result.ErrMalformed, "sarif/2"},
		"schema a number": {edit(`"amgpu/v1"`, `1`), result.ErrMalformed, "schema"},
		"newer":           {edit("amgpu/v1", "amgpu/v2"), result.ErrNewer, "use a newer amgpu"},
		"newer, odd":      {`{"schema":"amgpu/v12","trials":{"new":"shape"}}`, result.ErrNewer, "amgpu/v12"},
		"huge number":     {edit("[0.01,", "[1e999,"), result.ErrMalformed, "1e999"},
		"NaN":             {edit("[0.01,", "[NaN,"), result.ErrMalformed, "N"},
		"sample of text":  {edit("[0.01,", `["x",`), result.ErrMalformed, "samples is a text where a number that is no larger than 1.8e308 belongs"},
		"sample of none":  {edit("[0.01,", "[null,"), result.ErrMalformed, "sample 1 of a trial is null where a time in seconds belongs"},
		"count in parts":  {edit(`"count":2,`, `"count":1.5,`), result.ErrMalformed, "count is the number 1.5 where a whole number belongs"},
		"team of one":     {edit(`"devices":[0,1],"launch"`, `"devices":1,"launch"`), result.ErrMalformed, "devices is a number where a list belongs"},
		"size of none":    {edit(`"size":{"label":"M","n":4096},"strategy":"equal"`, `"size":[],"strategy":"equal"`), result.ErrMalformed, "size is a list where an object belongs"},
		"huge count":      {edit(`"count":2,`, `"count":99999999999999999999,`), result.ErrMalformed, "count"},
		"count 0":         {edit(`"count":2,"devices":[0,1]`, `"count":0,"devices":[0,1]`), result.ErrMalformed, "count 0"},
		"count of more":   {edit(`"count":2,"devices":[0,1]`, `"count":2147483647,"devices":[0,1]`), result.ErrMalformed, "it lists 2 devices"},
		"device 7":        {edit(`"devices":[0,1],"launch"`, `"devices":[0,7],"launch"`), result.ErrMalformed, "device 7"},
		"negative sample": {edit("[0.01,", "[-0.01,"), result.ErrMalformed, "negative"},
		"endless sample":  {edit("[0.01,", "[1e300,"), result.ErrMalformed, "1e+300"},
		"no time at all":  {edit("[0.01,", "[5e-324,"), result.ErrMalformed, "5e-324"},
		"negative size":   {edit(`"total":4096`, `"total":-1`), result.ErrMalformed, "size -1"},
		"huge clock":      {edit(`"compute":[1,1]`, `"compute":[1e308,1]`), result.ErrMalformed, "1e+308"},
		"invalid beyond":  {edit(`"index":1,`, `"index":2,`), result.ErrMalformed, "sample 3 is marked invalid; it has 2"},
		"invalid, why":    {edit(`"reason":"throttled"`, `"reason":""`), result.ErrMalformed, "without a reason"},
		"negative clock":  {edit(`"clocks":[1900000000`, `"clocks":[-1900000000`), result.ErrMalformed, "clock 1"},
		"endless energy":  {edit(`"joules":5`, `"joules":1e300`), result.ErrMalformed, "1e+300"},
		"endless clock":   {edit(`"clocks":[1900000000`, `"clocks":[1e300`), result.ErrMalformed, "1e+300"},
		"mode":            {edit(`"mode":"strong","size":{"label":"M","n":4096},"strategy":"equal"`, `"mode":"sideways","size":{"label":"M","n":4096},"strategy":"equal"`), result.ErrMalformed, `mode "sideways"; this amgpu knows strong, weak, solo`},
		"status":          {edit(`"status":"ok"`, `"status":"fine"`), result.ErrMalformed, `status "fine"`},
		"residency":       {edit(`"residency":"resident"`, `"residency":"moon"`), result.ErrMalformed, `residency "moon"`},
		"cache":           {edit(`"cache":"hot"`, `"cache":"tepid"`), result.ErrMalformed, `cache "tepid"`},
		"side":            {edit(`"side":"A"`, `"side":"C"`), result.ErrMalformed, `side "C"`},
		"phi below 0":     {edit(`"phi": 0.01`, `"phi": -1`), result.ErrMalformed, "noise.phi of -1"},
		"phi of 1e6":      {edit(`"phi": 0.01`, `"phi": 1e6`), result.ErrMalformed, "noise.phi of 1e+06"},
		"q95":             {edit(`"q95": 0.004`, `"q95": -1`), result.ErrMalformed, "noise.q95"},
		"launches":        {edit(`"launches": 7,`, `"launches": -7,`), result.ErrMalformed, "plan.launches of -7"},
		"launch":          {edit(`"launch":1,`, `"launch":-1,`), result.ErrMalformed, "launch number of -1"},
		"repetitions":     {edit(`"reps":3`, `"reps":-3`), result.ErrMalformed, "repetitions of -3"},
		"size":            {edit(`"n":4096},"strategy":"equal"`, `"n":-4096},"strategy":"equal"`), result.ErrMalformed, "size -4096"},
		"share":           {edit(`"shares":[2048`, `"shares":[-2048`), result.ErrMalformed, "share of -2048"},
		"device memory":   {edit(`"memory": 0`, `"memory": -1`), result.ErrMalformed, "memory of -1"},
		"one device":      {edit(`"devices":[0,1],"launch"`, `"devices":[1,1],"launch"`), result.ErrMalformed, "device 1 is listed twice"},
		"health":          {edit(`"device": 1,`, `"device": 9,`), result.ErrMalformed, "health of device 9"},
		"telemetry":       {edit(`"interval": 0.1`, `"interval": -0.1`), result.ErrMalformed, "telemetry.interval"},
		"sensors": {edit(`"index": 1,
    "source"`, `"index": 2,
    "source"`), result.ErrMalformed, "telemetry of device 2"},
		"link":            {edit(`"bandwidth": 20000000000`, `"bandwidth": -2`), result.ErrMalformed, "link 1"},
		"no workload":     {edit(`{"workload":"linalg/matmul","mode":"strong","size"`, `{"mode":"strong","size"`), result.ErrMalformed, "workload"},
		"trials a string": {edit(`"trials": [`, `"trials": "x","y":[`), result.ErrMalformed, "not a list"},
		"two documents":   {good + good, result.ErrMalformed, "two files"},
		"bad time":        {edit("2026-11-01T12:00:00Z", "yesterday"), result.ErrMalformed, "yesterday is no date such as 2"},
		"deep nesting":    {`{"x":` + strings.Repeat("[", 100000), result.ErrMalformed, "not a readable"},
	} {
		path := filepath.Join(t.TempDir(), "r.json")
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := result.Read(path)
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: error %v is not of kind %v", name, err, c.kind)
			continue
		}
		if strings.Contains(err.Error(), "Go struct") || strings.Contains(err.Error(), "2006") {
			t.Errorf("%s: message %q speaks of Go", name, err)
		}
		if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "r.json") {
			t.Errorf("%s: message %q does not say %q and the file", name, err, c.says)
		}
	}
	// On a busy machine two halves of the same launches may differ by more than they take.
	if _, err := result.Decode(strings.NewReader(edit(`"phi": 0.01`, `"phi": 1.15`))); err != nil {
		t.Errorf("a noise floor above 1: %v", err)
	}
	if _, err := result.Read(t.TempDir()); !errors.Is(err, result.ErrMalformed) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := result.Read(filepath.Join(t.TempDir(), "none.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestReadIgnoresUnknownAndMinor(t *testing.T) {
	text := string(encode(t, sample()))
	text = strings.Replace(text, "amgpu/v1", "amgpu/v1.7", 1)
	text = strings.Replace(text, `"digest":`, `"telescope":{"a":[1]},"digest":`, 1)
	text = strings.Replace(text, `"created":`, `"extra":[1,{}],"created":`, 1)
	got, err := result.Decode(strings.NewReader(text))
	if err != nil || len(got.Trials) != 1 || got.Trials[0].Digest != "aa" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestReadMemory bounds all that reading 10,000 trials of 200 samples allocates,
// garbage included, so that the peak is bounded too.
func TestReadMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big.json")
	if err := result.Write(path, big(10_000, 200)); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(res)
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 200 {
		t.Errorf("reading allocated %d MB", used)
	}
	if len(res.Trials) != 10_000 || len(res.Trials[9999].Samples) != 200 {
		t.Error("trials lost")
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := result.Encode(&b, sample()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"schema":"amgpu/v1","trials":null}`))
	f.Add([]byte(`{"schema":"amgpu/v9"}`))
	f.Add([]byte("{\"trials\":[{\"workload\":\"a\",\"count\":1e3,\"samples\":[0]}]"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		res, err := result.Decode(bytes.NewReader(raw))
		if err != nil {
			if !errors.Is(err, result.ErrMalformed) && !errors.Is(err, result.ErrNewer) {
				t.Fatalf("unclassified error %v", err)
			}
			return
		}
		var out bytes.Buffer
		if err := result.Encode(&out, res); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if _, err := result.Decode(&out); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
	})
}
