package suites

import (
	"fmt"
	"slices"
	"strings"
)

var registry = map[string]Workload{}

// Register adds a workload; called from the init of its file. Registering an id
// twice is a programming error and panics.
func Register(w Workload) {
	id := w.Info().ID
	if _, dup := registry[id]; dup {
		panic("suites: " + id + " registered twice")
	}
	registry[id] = w
}

// All returns every workload, sorted by id.
func All() []Workload {
	out := make([]Workload, 0, len(registry))
	for _, w := range registry {
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b Workload) int { return strings.Compare(a.Info().ID, b.Info().ID) })
	return out
}

// Find returns the workload of that id; the error lists near names.
func Find(id string) (Workload, error) {
	if w, ok := registry[id]; ok {
		return w, nil
	}
	if strings.HasPrefix(id, "own/") {
		return nil, fmt.Errorf("%s is a kernel of your own: give it with --shader FILE.spv --kernel FILE.yaml", id)
	}
	var near []string
	family, name, _ := strings.Cut(id, "/")
	for known := range registry {
		f, n, _ := strings.Cut(known, "/")
		if id != "" && (f == family || n == name || n == id || strings.Contains(known, id)) {
			near = append(near, known)
		}
	}
	slices.Sort(near)
	if len(near) > 0 {
		return nil, fmt.Errorf("unknown workload %q: did you mean %s? `amgpu suites` lists all", id, strings.Join(near, ", "))
	}
	return nil, fmt.Errorf("unknown workload %q: `amgpu suites` lists all", id)
}
