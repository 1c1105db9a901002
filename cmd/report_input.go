package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/amgpu/amgpu/report/ingest"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// source is a file with the way to read it.
type source struct {
	path string
	read func(string) (*result.Result, error)
}

func sources(results, tables []string) []source {
	var out []source
	for _, p := range results {
		out = append(out, source{p, readMeasured})
	}
	for _, p := range tables {
		out = append(out, source{p, readTable})
	}
	return out
}

func readMeasured(path string) (*result.Result, error) {
	res, err := result.Read(path, stat.Fill)
	if err == nil || is(err, result.ErrMalformed, result.ErrNewer) {
		return res, err
	}
	return nil, usage("%w; name a result file that `amgpu scale` or `amgpu run` wrote", err)
}

// readTable imports a table; its data is as old as the file.
func readTable(path string) (_ *result.Result, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usage("%w; name a table with the columns count and seconds or rate", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	name := filepath.Base(path)
	workload := strings.TrimSuffix(name, filepath.Ext(name))
	if workload == "" { // .csv
		workload = name
	}
	res, err := ingest.CSV(f, path, workload)
	if err != nil {
		return nil, usage("%w", err)
	}
	if info, err := f.Stat(); err == nil {
		res.Created = info.ModTime().UTC().Truncate(time.Second)
	}
	res.Tool = tool()
	res.Command = []string{"amgpu", "report", "--import", path}
	return res, nil
}

// predictions reads the counts to predict.
func predictions(text string) ([]int, error) {
	var out []int
	for _, part := range list(text) {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > 1<<20 {
			return nil, usage("--predict %q: use whole numbers of GPUs from 1 to 1048576, such as 8,16", part)
		}
		out = append(out, n)
	}
	if text != "" && len(out) == 0 {
		return nil, usage("--predict %q: use whole numbers of GPUs from 1 to 1048576, such as 8,16", text)
	}
	return out, nil
}
