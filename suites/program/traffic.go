package program

// Traffic is what one communication step moves in one iteration on a team of nodes of equal
// numbers of devices.
type Traffic struct {
	HandOvers float64 // times that all wait for each other
	Inside    float64 // bytes that the busiest device receives from devices of its node
	Between   float64 // bytes that the busiest node sends to other nodes
	Crosses   bool    // something goes between nodes
}

// oneShotMost is the most that a device receives in an all-reduce that sends everything to
// everybody, in bytes (the engine's rule).
const oneShotMost = 64 << 20

// TrafficOf lists the traffic of an iteration of a program of len(Shares) devices, of which
// perNode make up a node, as the engine carries it out over several processes, one per node:
// what many devices of a node want crosses once.
func TrafficOf(p *Program, perNode int) []Traffic {
	var out []Traffic
	var add func(steps []Step, times float64)
	add = func(steps []Step, times float64) {
		for _, st := range steps {
			switch st := st.(type) {
			case Repeat:
				add(st.Body, times*float64(st.Times))
			case Overlap:
				add([]Step{st.Comm}, times)
			default:
				if t, ok := p.traffic(st, max(perNode, 1)); ok {
					t.HandOvers, t.Inside, t.Between = t.HandOvers*times, t.Inside*times, t.Between*times
					out = append(out, t)
				}
			}
		}
	}
	add(p.Steps, 1)
	return out
}

func (p *Program) traffic(st Step, perNode int) (t Traffic, ok bool) {
	devices := len(p.Shares)
	if devices < 2 {
		return t, false
	}
	n, g := float64(devices), float64(min(perNode, devices))
	nodes := float64((devices + perNode - 1) / perNode)
	bytes := func(name string) float64 {
		if a, ok := p.Array(name); ok {
			return 4 * float64(a.Units*a.Stride)
		}
		return 0
	}
	all := func(names []string) (sum float64) {
		for _, name := range names {
			sum += bytes(name)
		}
		return sum
	}
	// Everybody sends a part to everybody: parts of size bytes. shared: what the devices of
	// a node want is the same.
	everybody := func(size float64, shared bool) Traffic {
		t := Traffic{HandOvers: 1, Inside: (g - 1) * size, Between: g * (n - g) * size, Crosses: nodes > 1}
		if shared {
			t.Between = g * (nodes - 1) * size
		}
		return t
	}
	switch st := st.(type) {
	case Exchange:
		t = Traffic{HandOvers: 1, Crosses: nodes > 1}
		for _, name := range st.Arrays {
			if a, ok := p.Array(name); ok {
				depth := st.Depth
				if depth == 0 {
					depth = a.Halo
				}
				side := 4 * float64(depth*a.Stride)
				if g > 1 {
					t.Inside += min(2, g-1) * side
				}
				if nodes > 1 {
					t.Between += min(2, nodes-1) * side
				}
			}
		}
	case AllReduce:
		size := bytes(st.Array)
		if st.Order == ByChunk {
			if a, ok := p.Array(st.Array); ok { // the roots of a share, about
				return everybody(4*float64(a.Stride), true), true
			}
		}
		if size*(n-1) <= oneShotMost {
			return everybody(size, true), true
		}
		scatter, gather := everybody(size/n, false), everybody(size/n, true)
		t = Traffic{HandOvers: 2, Inside: scatter.Inside + gather.Inside, Between: scatter.Between + gather.Between, Crosses: nodes > 1}
	case ReduceScatter:
		t = everybody(bytes(st.Array)/n, false)
	case AllGather:
		t = everybody(all(st.Arrays)/n, true)
	case Broadcast:
		size := all(st.Arrays)
		t = Traffic{HandOvers: 1, Between: (nodes - 1) * size, Crosses: nodes > 1}
		if g > 1 {
			t.Inside = size
		}
	case AllToAll:
		t = everybody(bytes(st.Array)/n, false)
	case Send:
		t = Traffic{HandOvers: 1}
		sent, received := map[int]float64{}, map[int]float64{}
		for _, pair := range st.Pairs {
			size := bytes(st.Array)
			if a, ok := p.Array(st.Array); ok && pair.Units > 0 {
				size = 4 * float64(pair.Units*a.Stride)
			}
			switch from, to := pair.From/perNode, pair.To/perNode; {
			case pair.From == pair.To:
			case from == to:
				received[pair.To] += size
				t.Inside = max(t.Inside, received[pair.To])
			default:
				sent[from] += size
				t.Between, t.Crosses = max(t.Between, sent[from]), true
			}
		}
	default:
		return t, false
	}
	return t, true
}
