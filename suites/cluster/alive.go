package cluster

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// pidSpace names the space in which process numbers of this process count: that of one
// boot of one machine, or of a container on it. Empty: not known.
func pidSpace() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + space
}

// dead says whether a process of this space is there no more, or as a zombie only.
func dead(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return os.IsNotExist(err)
	}
	// The name in brackets may hold anything.
	_, after, ok := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	return ok && len(after) > 0 && (after[0] == 'Z' || after[0] == 'X')
}

// gone is a rank that has ended although nobody let it go, as far as can be seen from here:
// rank 0 looks for the others, they look for rank 0, which may have something to save.
func (r *Rank) gone() *RankError {
	here := r.all[r.Number()]
	for _, rank := range r.pump.watched {
		d := r.all[rank]
		if here.Space != "" && d.Space == here.Space && dead(d.PID) {
			return &RankError{Rank: rank, Node: d.Node, Err: fmt.Errorf("%w: its process %d has ended", ErrRankLost, d.PID)}
		}
	}
	return nil
}

// Missing looks for a rank that is lost or has ended.
func (r *Rank) Missing() error {
	if err := r.Lost(); err != nil {
		return err
	}
	if err := r.gone(); err != nil {
		return err
	}
	return nil
}
