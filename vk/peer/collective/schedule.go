// Package collective holds the schedules of collective operations as plain data:
// which rank sends which elements where, and which sums it makes when. Nothing here
// knows Vulkan; the engine turns a schedule into phases of a team, and tests run
// it on symbols.
package collective

// Space is one of the memories a rank has in a collective.
type Space uint8

// Spaces. In and Out may be one memory where a schedule allows it (InPlace in the
// doc comment of its function).
const (
	In   Space = iota // the operand
	Out               // the result
	Slot              // receive slots, scratch memory of the collective
)

// Place is where a run of elements begins.
type Place struct {
	Space Space
	At    int64 // elements
}

// Copy carries N elements from one rank to another.
type Copy struct {
	From, To int
	Src, Dst Place
	N        int64
}

// Sum combines N elements of every term on one rank, in the tree order of its terms
// ((t0+t1)+(t2+t3)), what is left over merged from the right. At most one term lies
// outside Slot, and those in it follow each other at one distance. One term: a copy
// on the rank.
type Sum struct {
	Rank  int
	Terms []Place
	Into  Place
	N     int64
	// Final says that the value is complete: an average is divided here.
	Final bool
}

// Stage is what all ranks do between two hand-overs. The next stage begins anywhere
// only when this one is over everywhere.
type Stage struct {
	Sums []Sum
	// Early copies begin with the stage: they touch nothing that its sums write, and
	// write nothing that they read.
	Early []Copy
	// Late copies begin when the sums of their two ranks are done.
	Late []Copy
}

// Schedule is one collective of a number of ranks. The copies of a rank are listed
// in rounds: at the same place of their lists all ranks send to different ones.
type Schedule struct {
	Ranks  int
	Slots  int64 // elements of Slot on every rank
	Stages []Stage
}

// HandOvers is the number of times that all ranks wait for each other.
func (s *Schedule) HandOvers() int {
	n := 0
	for _, st := range s.Stages {
		if len(st.Early)+len(st.Late) > 0 {
			n++
		}
	}
	return n
}

// Options are how a schedule is cut; none changes what is computed.
type Options struct {
	// Granule: slices and chunks begin at multiples of this many elements (0: 1).
	Granule int64
	// Block bounds what one sum reads: its slots lie within (ranks-1)*Block elements
	// (0: no bound).
	Block int64
	// Group is how many ranks follow each other that are near each other, for schedules that
	// make a difference (0: all).
	Group int
	// Chunks cuts the last round of a reduce-scatter, so that sums overlap copies
	// (0: 1).
	Chunks int
}

func (o Options) granule() int64 { return max(o.Granule, 1) }

// stage returns stage k, made when it is not there yet.
func (s *Schedule) stage(k int) *Stage {
	for len(s.Stages) <= k {
		s.Stages = append(s.Stages, Stage{})
	}
	return &s.Stages[k]
}

// finish drops what is empty.
func (s *Schedule) finish() *Schedule {
	for i := range s.Stages {
		st := &s.Stages[i]
		st.Early, st.Late = whole(st.Early), whole(st.Late)
		kept := st.Sums[:0]
		for _, x := range st.Sums {
			if x.N > 0 {
				kept = append(kept, x)
			}
		}
		st.Sums = kept
	}
	return s
}

// whole drops empty copies.
func whole(list []Copy) []Copy {
	kept := list[:0]
	for _, c := range list {
		if c.N > 0 {
			kept = append(kept, c)
		}
	}
	return kept
}
