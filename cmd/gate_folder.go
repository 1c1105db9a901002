package cmd

import (
	"fmt"
	"os"

	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/report/result"
)

// readFresh reads the new result, with the times of devices only where the rules look at
// them. Without a baseline it may be a folder, whose results are judged together: limits of
// several sizes take several commands to measure.
func readFresh(path string, alone bool, rules *gate.Rules) (*result.Result, error) {
	read := readForGate
	if rules.DeviceTimes() {
		read = func(path string) (*result.Result, error) { return forGate(result.Read(path)) }
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return read(path)
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
		res, err := read(name)
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
