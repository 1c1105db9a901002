package cmd

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// visibility are the variables in which launchers and users say which GPUs of a maker a
// process may use, in that maker's own numbers; the first one that is set counts.
var visibility = []struct {
	maker     uint32 // vendor ID
	variables []string
}{
	{0x10de, []string{"CUDA_VISIBLE_DEVICES"}},
	{0x1002, []string{"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"}},
	{0x8086, []string{"ZE_AFFINITY_MASK"}},
}

// slurmGPUs are those in which Slurm numbers the GPUs of a step or job on its node, of all
// makers, for those that no variable of their maker speaks of.
var slurmGPUs = []string{"SLURM_STEP_GPUS", "SLURM_JOB_GPUS"}

// granted leaves the GPUs that a rank of a job may use. Devices on CPU drivers stay, as they are
// nobody's to give. It is an error when GPUs are there and none is left.
func granted(all []entry) ([]entry, error) {
	hidden, said := map[int]bool{}, []string{} // by index
	narrow := func(variables []string, of func(entry) bool, allowed func(list []string, gpus []entry) []int) {
		var gpus []entry
		for _, e := range all {
			if !e.Software && e.duplicateOf < 0 && of(e) {
				gpus = append(gpus, e)
			}
		}
		name, text, set := firstSet(variables)
		if !set || len(gpus) == 0 {
			return
		}
		said = append(said, name+"="+text)
		keep := allowed(list(text), gpus)
		for i, e := range gpus {
			hidden[e.Index] = !slices.Contains(keep, i)
		}
	}
	makers := map[uint32]bool{}
	for _, v := range visibility {
		if _, _, set := firstSet(v.variables); set {
			makers[v.maker] = true
		}
		narrow(v.variables, func(e entry) bool { return e.VendorID == v.maker }, visible)
	}
	narrow(slurmGPUs, func(e entry) bool { return !makers[e.VendorID] }, allocated)
	out := slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return hidden[e.Index] || hidden[e.duplicateOf] })
	isGPU := func(e entry) bool { return !e.Software }
	if len(said) > 0 && slices.ContainsFunc(all, isGPU) && !slices.ContainsFunc(out, isGPU) {
		return nil, &exitError{code: codeNoGPU, err: fmt.Errorf("%s leaves none of the GPUs that Vulkan shows: %s", strings.Join(said, ", "), names(all)),
			hint: "GPUs are numbered from 0 in PCI order, or named by UUID as GPU-..; unset the variable to use all of them"}
	}
	return out, nil
}

// firstSet is the first of some variables that is set. An empty list of CUDA's hides everything,
// of the others it says nothing.
func firstSet(variables []string) (name, text string, set bool) {
	for _, v := range variables {
		if text, set := os.LookupEnv(v); set && (text != "" || v == "CUDA_VISIBLE_DEVICES") {
			return v, text, true
		}
	}
	return "", "", false
}

// visible are the places of the GPUs that a list of a maker's numbers or UUIDs names. As with
// CUDA a number that is none ends the list; a part of a device, such as 0.1, counts as all of it.
func visible(list []string, gpus []entry) (out []int) {
	for _, w := range list {
		if id, ok := strings.CutPrefix(w, "GPU-"); ok {
			for i, e := range gpus {
				if strings.HasPrefix(e.UUID, id) {
					out = append(out, i)
				}
			}
			continue
		}
		whole, _, _ := strings.Cut(w, ".")
		n, err := strconv.Atoi(whole)
		if err != nil || n < 0 || n >= len(gpus) {
			break
		}
		out = append(out, n)
	}
	return out
}

// allocated are the places of the GPUs that Slurm lists by their numbers on the node, such as
// 0,2-3. Where as many are shown as are listed, the others are kept away and these are they.
func allocated(list []string, gpus []entry) (out []int) {
	for _, w := range list {
		first, last, isRange := strings.Cut(w, "-")
		lo, err := strconv.Atoi(first)
		hi := lo
		if isRange && err == nil {
			hi, err = strconv.Atoi(last)
		}
		for n := lo; err == nil && n <= hi && len(out) <= len(gpus); n++ {
			out = append(out, n)
		}
	}
	if len(out) == len(gpus) {
		for i := range out {
			out[i] = i
		}
	}
	return out
}
