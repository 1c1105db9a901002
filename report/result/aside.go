package result

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// KeptAside is the code of the warning that a fold met the result of another run.
const KeptAside = "kept-aside"

// standing is how a folded journal stands to what lies in its result's place.
type standing int

const (
	alone   standing = iota // nothing is there
	extends                 // a part of the same run
	held                    // all of the same run: the journal adds nothing
	later                   // another run's result, older than the journal, or no result
	earlier                 // another run's result, younger than the journal
)

// stand compares res, from target's journal, with what target holds; file is nil where
// that is no result. Two results are of one run where one holds all trials of the other
// or continues it: launches that were cut short are measured anew then. Nothing is lost
// with the smaller one.
func stand(target string, res *Result) (s standing, file *Result, err error) {
	if !holdsSomething(target) {
		return alone, nil, nil
	}
	file, err = readFile(target)
	switch {
	case errors.Is(err, ErrMalformed):
		return later, nil, nil
	case err != nil: // newer than this program, or not readable: nothing may replace it
		return later, nil, err
	case holdsAll(res, file), continues(res, file):
		return extends, file, nil
	case holdsAll(file, res):
		return held, file, nil
	case file.Created.After(res.Created):
		return earlier, file, nil
	}
	return later, file, nil
}

// holdsAll tells whether all trials of b are trials of a, to the last digit.
func holdsAll(a, b *Result) bool { return shared(a, b) == len(b.Trials) }

// shared is how many trials of b are trials of a, to the last digit.
func shared(a, b *Result) int {
	have, n := map[[sha256.Size]byte]bool{}, 0
	for i := range a.Trials {
		if raw, err := marshalTrial(a.Trials[i]); err == nil {
			have[sha256.Sum256(raw)] = true
		}
	}
	for i := range b.Trials {
		if raw, err := marshalTrial(b.Trials[i]); err == nil && have[sha256.Sum256(raw)] {
			n++
		}
	}
	return n
}

// continues tells whether a is b carried on: created at one time, with every launch
// of b, of which some are the very same. Two runs of one second share none.
func continues(a, b *Result) bool {
	if !a.Created.Equal(b.Created) || shared(a, b) == 0 {
		return false
	}
	have := map[launchID]bool{}
	for i := range a.Trials {
		have[a.Trials[i].id()] = true
	}
	for i := range b.Trials {
		if !have[b.Trials[i].id()] {
			return false
		}
	}
	return true
}

// settle writes res, folded from target's journal, and returns what target holds then.
// The result of another run is never lost: the later run gets the name, the earlier one
// FILE.old. Only a run that was asked to write here and reached its end (done) replaces
// what was there.
func settle(target string, res *Result, done bool) (*Result, error) {
	s, file, err := stand(target, res)
	switch {
	case err != nil:
		return nil, err
	case s == held:
		return file, nil
	case s == earlier && !done:
		name, err := freeName(target)
		if err == nil {
			err = Write(name, res)
		}
		if err != nil {
			return nil, err
		}
		file.warnAside("a journal of an earlier run (created %s) lay beside this file: its %d launches are kept as %s",
			stamp(res.Created), len(res.Trials), filepath.Base(name))
		return file, nil
	case s >= later && !done:
		name, undo, err := keepAside(target)
		if err != nil {
			return nil, err
		}
		what := "something that is no readable result"
		if file != nil {
			what = "the result of another run (created " + stamp(file.Created) + ")"
		}
		res.warnAside("%s held %s: it is kept as %s", filepath.Base(target), what, filepath.Base(name))
		if err := Write(target, res); err != nil {
			res.Warnings = res.Warnings[:len(res.Warnings)-1] // it is not
			return nil, errors.Join(err, undo())
		}
		return res, nil
	}
	return res, Write(target, res)
}

// settleInMemory is settle where nothing can be written.
func settleInMemory(target string, res *Result) (*Result, error) {
	s, file, err := stand(target, res)
	if err != nil {
		return nil, err
	}
	switch base := filepath.Base(target); {
	case s == held:
		return file, nil
	case s == earlier:
		file.warnAside("%s%s is of an earlier run (created %s): it is not shown, and could not be moved aside", base, JournalSuffix, stamp(res.Created))
		return file, nil
	case s == later:
		res.warnAside("this is %s%s; %s holds something else, which is not shown and could not be moved aside", base, JournalSuffix, base)
	}
	return res, nil
}

func (r *Result) warnAside(format string, args ...any) {
	r.Warnings = append(r.Warnings, Warning{Code: KeptAside, Text: fmt.Sprintf(format, args...)})
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
