package program

import (
	"reflect"
	"testing"
)

func sharesOf(n int) (out []Share) {
	for i := range n {
		out = append(out, Share{int64(i) * 100, int64(i+1) * 100})
	}
	return out
}

// TestTraffic: bytes of each step on two nodes of two devices, counted by hand.
func TestTraffic(t *testing.T) {
	p := &Program{Units: 400, Shares: sharesOf(4), Arrays: []Array{
		{Name: "grid", Layout: Split, Units: 400, Stride: 10, Halo: 3},
		{Name: "sum", Layout: Local, Units: 1, Stride: 25},
		{Name: "whole", Layout: Replicated, Units: 400, Stride: 1},
		{Name: "blocks", Layout: Local, Units: 4, Stride: 50},
	}}
	for _, c := range []struct {
		step Step
		want Traffic
	}{
		{Exchange{Arrays: []string{"grid"}, Depth: 2}, Traffic{1, 80, 80, true}},         // one neighbour in the node, one outside
		{AllReduce{Array: "sum", Into: "sum"}, Traffic{1, 100, 200, true}},               // both devices of a node send 100 bytes once
		{ReduceScatter{Array: "sum"}, Traffic{1, 25, 100, true}},                         // 2 x 2 slices of 25 bytes
		{AllGather{Arrays: []string{"whole"}}, Traffic{1, 400, 800, true}},               // 400 bytes of each device
		{Broadcast{Arrays: []string{"whole"}}, Traffic{1, 1600, 1600, true}},             // once to the other node
		{AllToAll{Array: "blocks", Into: "b"}, Traffic{1, 200, 800, true}},               // 2 x 2 blocks of 200 bytes
		{Send{Array: "sum", Pairs: []Pair{{From: 0, To: 1}}}, Traffic{1, 100, 0, false}}, // within a node
		{Send{Array: "sum", Pairs: []Pair{{From: 1, To: 2}}}, Traffic{1, 0, 100, true}},  // over the border
		{Repeat{Times: 3, Body: []Step{Overlap{Comm: ReduceScatter{Array: "sum"}}}}, Traffic{3, 75, 300, true}},
	} {
		p.Steps = []Step{Dispatch{}, c.step}
		if got := TrafficOf(p, 2); !reflect.DeepEqual(got, []Traffic{c.want}) {
			t.Errorf("%T: %+v, want %+v", c.step, got, c.want)
		}
	}
	p.Shares, p.Steps = sharesOf(1), []Step{AllReduce{Array: "sum"}}
	if got := TrafficOf(p, 1); len(got) != 0 {
		t.Errorf("one device communicates: %+v", got)
	}
}
