package cmd

import (
	"fmt"
	"os"

	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/report/result"
)

// readFresh reads the new result. Without a baseline it may be a folder, whose results
// are judged together: limits of several sizes take several commands to measure.
func readFresh(path string, alone bool) (*result.Result, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return readForGate(path)
	}
	if !alone {
		return nil, usage("%s is a folder: as new result name a file; a folder can be judged by --rules alone", path)
	}
	names, err := resultsIn(path)
	if err != nil {
		return nil, err
	}
	var all []*result.Result
	for _, name := range names {
		res, err := readForGate(name)
		if err != nil {
			return nil, err
		}
		all = append(all, res)
	}
	if len(all) == 0 {
		return nil, &exitError{code: codeNothing, err: fmt.Errorf("%s holds no result file", path), hint: "measure with `amgpu scale ... -o FILE`"}
	}
	return gate.Together(names, all)
}
