// Package tune searches the constants of a workload's kernels for the fastest, and keeps
// what it found from one command to the next. It measures through a function, so that
// it knows neither devices nor kernels.
package tune

import (
	"context"
	"fmt"
	"maps"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
	"github.com/amgpu/amgpu/suites"
)

// Search looks for the fastest constants of one workload on one device.
type Search struct {
	Tunables []suites.Tunable
	Default  map[string]int64 // a value for every tunable
	// Measure verifies and samples the workload with these constants on fresh device
	// state. Times are those of the trial's samples, in seconds.
	Measure func(ctx context.Context, constants map[string]int64) result.Trial
	// Tried is told every candidate; nil: nobody.
	Tried func(c result.Candidate)
	// Launches of each side decide between the defaults and the fastest candidate.
	Launches int
}

const (
	// everything is how many candidates are tried one and all; of more, the tunables are
	// gone through one after another, again while that brings something.
	everything = 16
	mostRounds = 3
)

// state is a search under way.
type state struct {
	Search
	out     result.Tuning
	digest  string // of the defaults
	free    bool   // outputs differ by nature
	seen    map[string]float64
	best    map[string]int64
	seconds float64 // of best
	ended   string  // why no more is tried; empty: go on
}

// Run searches. A candidate that cannot run, is wrong or changes the bits of the outputs is
// dropped with its reason; a lost device or the end of the context ends the search, and
// the defaults stay. The caller fills in which workload it was.
func (s Search) Run(ctx context.Context) result.Tuning {
	st := &state{Search: s, seen: map[string]float64{}}
	if !st.start(ctx) {
		return st.out
	}
	if combinations(s.Tunables) <= everything {
		st.all(ctx, maps.Clone(s.Default), s.Tunables)
	} else {
		st.descend(ctx)
	}
	st.decide(ctx)
	return st.out
}

func combinations(list []suites.Tunable) int {
	n := 1
	for _, t := range list {
		if n *= max(len(t.Values), 1); n > everything {
			return n
		}
	}
	return n
}

// start measures the defaults, without which nothing can be compared.
func (st *state) start(ctx context.Context) bool {
	st.best = maps.Clone(st.Default)
	trial, c := st.measure(ctx, st.Default)
	st.keep(c)
	if c.Time == nil {
		st.out.Verdict = "the defaults were not measured: " + c.Status + reason(c.Reason)
		return false
	}
	st.digest, st.free, st.seconds = trial.Digest, trial.CountDependent, c.Time.Median
	st.seen[name(st.Tunables, st.Default)] = st.seconds
	return true
}

func reason(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}

func (st *state) keep(c result.Candidate) {
	st.out.Candidates = append(st.out.Candidates, c)
	if st.Tried != nil {
		st.Tried(c)
	}
}

// measure is one launch of a candidate.
func (st *state) measure(ctx context.Context, constants map[string]int64) (result.Trial, result.Candidate) {
	trial := st.Measure(ctx, maps.Clone(constants))
	c := result.Candidate{Constants: maps.Clone(constants), Status: trial.Status, Reason: trial.Reason}
	if trial.Status == result.OK {
		if m, ok := stat.MedianInterval(stat.ValidTimes(&trial)); ok && m.Median > 0 {
			c.Time = &m
		} else {
			c.Status, c.Reason = result.Skipped, "no usable sample"
		}
	}
	switch {
	case ctx.Err() != nil:
		st.ended = "interrupted"
	case trial.Status == result.DeviceLost:
		st.ended = "the device was lost with " + name(st.Tunables, constants) + reason(trial.Reason)
	}
	return trial, c
}

// try measures a candidate once and takes it where it is the fastest so far.
func (st *state) try(ctx context.Context, constants map[string]int64) {
	id := name(st.Tunables, constants)
	if _, again := st.seen[id]; again || st.ended != "" {
		return
	}
	trial, c := st.measure(ctx, constants)
	if c.Time != nil && !st.free && trial.Digest != st.digest {
		c.Status, c.Time = result.WrongResult, nil
		c.Reason = fmt.Sprintf("the outputs have other bits than with the defaults: digest %.16s, not %.16s", trial.Digest, st.digest)
	}
	st.seen[id] = 0
	if c.Time != nil {
		st.seen[id] = c.Time.Median
		if c.Time.Median < st.seconds {
			st.best, st.seconds = maps.Clone(constants), c.Time.Median
		}
	}
	st.keep(c)
}

// all tries every combination of the tunables left.
func (st *state) all(ctx context.Context, constants map[string]int64, left []suites.Tunable) {
	if len(left) == 0 {
		st.try(ctx, constants)
		return
	}
	for _, v := range left[0].Values {
		constants[left[0].Name] = v
		st.all(ctx, constants, left[1:])
	}
}

// descend goes through the tunables, each from the best of the others.
func (st *state) descend(ctx context.Context) {
	for range mostRounds {
		before := name(st.Tunables, st.best)
		for _, t := range st.Tunables {
			from := maps.Clone(st.best)
			for _, v := range t.Values {
				from[t.Name] = v
				st.try(ctx, from)
			}
		}
		if st.ended != "" || name(st.Tunables, st.best) == before {
			return
		}
	}
}

// name lists constants in the order of the tunables.
func name(list []suites.Tunable, constants map[string]int64) string {
	text := ""
	for i, t := range list {
		if i > 0 {
			text += " "
		}
		text += fmt.Sprintf("%s=%d", t.Name, constants[t.Name])
	}
	return text
}
