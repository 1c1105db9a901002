package gate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// difference is one field in which two sides differ.
type difference struct {
	field, base, fresh string
	hard               bool
}

func (d difference) String() string {
	return fmt.Sprintf("%s: %s against %s", d.field, show(d.base), show(d.fresh))
}

func show(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// compareMethods compares what must be equal for two rows to be comparable
// (measurement.md 4.3). across moves one of Fields to the soft fields. What one side
// does not know, as older results do not, is no difference that anybody could see:
// it is said, and hard only where both know it.
func compareMethods(base, fresh *side, across string) []difference {
	var out []difference
	a, b := base.fields(), fresh.fields()
	for i := range a {
		if a[i].value == b[i].value {
			continue
		}
		unknown := a[i].recorded && (a[i].value == "" || b[i].value == "")
		hard := a[i].hard && !unknown && !(across != "" && a[i].across == across)
		out = append(out, difference{a[i].name, a[i].value, b[i].value, hard})
	}
	if d, found := compareOutputs(base, fresh); found {
		// Other devices, drivers or inputs promise no equal bits.
		if !slices.ContainsFunc(out, func(d difference) bool { return slices.Contains(outputsVaryBy, d.field) }) {
			d.hard = across != "shader"
			out = append(out, d)
		}
	}
	return out
}

var outputsVaryBy = []string{"device model", "driver", "API", "driver patch", "seed", "CPU", "parameters", "input file", "own kernel"}

// field is one named fact about a side; across names what makes it soft.
type field struct {
	name, value string
	hard        bool
	across      string
	recorded    bool // empty: not recorded
}

// Fields are what can be compared across on purpose.
func Fields() []string { return []string{"driver", "shader", "power-limit", "ecc"} }

// fields are in a fixed order, the same for every side.
func (s *side) fields() []field {
	res := s.res
	var models, drivers, patches, apis, via, limits, corrections, shaders, constants []string
	software := false
	for _, t := range s.row.Trials {
		team := []string{}
		for _, i := range t.Devices {
			d := res.Devices[i]
			team = append(team, model(d))
			name, minor := driverVersion(d.Driver)
			drivers, patches = append(drivers, strings.TrimSpace(name+" "+minor)), append(patches, d.Driver)
			apis = append(apis, majorMinor(d.API))
			software = software || d.Software
			if d.PowerLimit > 0 {
				limits = append(limits, fmt.Sprintf("%.0f W", d.PowerLimit))
			}
			if d.ECC != nil {
				corrections = append(corrections, map[bool]string{true: "on", false: "off"}[*d.ECC])
			}
		}
		slices.Sort(team)
		models = append(models, strings.Join(team, " + "))
		if t.Via != "" {
			via = append(via, t.Via)
		}
		if t.Shaders != "" {
			shaders = append(shaders, fmt.Sprintf("%.16s", t.Shaders))
		}
		if len(t.Constants) > 0 {
			constants = append(constants, constantsOf(t))
		}
	}
	out := []field{
		{"device model", each(models), true, "", false},
		{"driver", each(drivers), true, "driver", false},
		{"API", each(apis), true, "driver", false},
		{"link", each(via), true, "", false},
		{"nodes", s.layouts(), true, "", false},
		{"size over all devices", fmt.Sprint(s.row.Total), true, "", false},
		{"unit", s.unit(), true, "", false},
		{"check", s.check(), true, "shader", false},
		{"shaders", each(shaders), true, "shader", true},
		{"constants", each(constants), true, "shader", true},
		{"power limit", each(limits), true, "power-limit", true},
		{"ECC", each(corrections), true, "ecc", true},
		{"parameters", s.parameters(), true, "", false},
		{"input file", res.Plan.Input, true, "", false},
		{"own kernel", fmt.Sprintf("%.16s", res.Plan.Shader), false, "", false}, // comparing builds of it is what it is for
		{"driver patch", each(patches), false, "", false},
		{"subsets", res.Plan.Subsets, false, "", false},
		{"seed", fmt.Sprint(res.Plan.Seed), false, "", false},
		{"kernel", res.Host.Kernel, false, "", false},
		{"CPU", fmt.Sprintf("%s, %d cores", show(res.Host.CPU), res.Host.Cores), software, "", false},
		{"architecture", res.Host.Arch, software, "", false},
		{"loader", res.Host.Loader, false, "", false},
		{"layers", res.Host.Layers, false, "", false},
		{"container", res.Host.Container, false, "", false},
		{"MPI", s.library(), false, "", false},
		{"tool", strings.TrimSpace(res.Tool.Version + " " + res.Tool.Commit), false, "", false},
	}
	return out
}

// layouts are how many devices of the teams lie on each node of a job, the most first.
func (s *side) layouts() string {
	var out []string
	for _, t := range s.row.Trials {
		byNode := map[string]int{}
		for _, i := range t.Devices {
			if node := s.res.Devices[i].Node; node != "" {
				byNode[node]++
			}
		}
		sizes := slices.Sorted(maps.Values(byNode))
		slices.Reverse(sizes)
		out = append(out, strings.ReplaceAll(strings.Trim(fmt.Sprint(sizes), "[]"), " ", "+"))
	}
	return each(out)
}

// library is the MPI between the ranks; empty for one process.
func (s *side) library() string {
	if s.res.Job == nil {
		return ""
	}
	return s.res.Job.Library
}

// constantsOf lists the constants of a trial's kernels; where they come from does not matter.
func constantsOf(t *result.Trial) string {
	var out []string
	for _, k := range t.Constants {
		out = append(out, fmt.Sprintf("%s=%d", k.Name, k.Value))
	}
	return strings.Join(out, " ")
}

func model(d result.Device) string {
	text := fmt.Sprintf("%s %04x:%04x", d.Name, d.VendorID, d.DeviceID)
	if d.Software { // the name holds the version of the driver's compiler
		text = fmt.Sprintf("software device %04x:%04x", d.VendorID, d.DeviceID)
	}
	return text
}

func (s *side) unit() string {
	for _, t := range s.row.Trials {
		if t.Work.Unit != "" {
			return t.Work.Unit
		}
	}
	return ""
}

func (s *side) check() string {
	var classes []string
	for _, t := range s.row.Trials {
		if t.Check != nil {
			classes = append(classes, t.Check.Class)
		}
	}
	return each(classes)
}

// parameters are those of the row's workload: others of a sweep do not touch it.
func (s *side) parameters() string {
	var out []string
	for name, v := range s.res.Plan.Params {
		if workload, _, of := strings.Cut(name, ":"); !of || workload == s.row.Workload {
			out = append(out, fmt.Sprintf("%s=%d", name, v))
		}
	}
	return each(out)
}

// compareOutputs compares the digests of the outputs, where both sides have them.
func compareOutputs(base, fresh *side) (difference, bool) {
	a, b := base.digests(), fresh.digests()
	if a == "" || b == "" || a == b {
		return difference{}, false
	}
	return difference{field: "outputs (digest)", base: a, fresh: b}, true
}

func (s *side) digests() string {
	var out []string
	for _, t := range s.row.Trials {
		if t.Digest != "" && t.Status == result.OK {
			out = append(out, fmt.Sprintf("%.16s", t.Digest))
		}
	}
	return each(out)
}

// each lists the distinct values, sorted.
func each(values []string) string {
	values = slices.Clone(values)
	slices.Sort(values)
	return strings.Join(slices.Compact(values), ", ")
}

var version = regexp.MustCompile(`\d+(\.\d+)+`)

// driverVersion splits "NVIDIA 580.159.04" into the name and major.minor; a driver
// without a version is its name.
func driverVersion(driver string) (name, minor string) {
	at := version.FindStringIndex(driver)
	if at == nil {
		return driver, ""
	}
	return strings.TrimSpace(driver[:at[0]]), majorMinor(driver[at[0]:at[1]])
}

func majorMinor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// properties are the fingerprint of a result, for machine formats.
func properties(res *result.Result) []Property {
	var models, drivers, apis []string
	for _, d := range res.Devices {
		models, drivers, apis = append(models, model(d)), append(drivers, d.Driver), append(apis, d.API)
	}
	return []Property{
		{"fingerprint", res.Fingerprint}, {"devices", fmt.Sprint(len(res.Devices))}, {"models", each(models)}, {"drivers", each(drivers)},
		{"api", each(apis)}, {"cpu", res.Host.CPU}, {"kernel", res.Host.Kernel}, {"loader", res.Host.Loader},
		{"tool", res.Tool.Version}, {"preset", res.Plan.Preset}, {"seed", fmt.Sprint(res.Plan.Seed)},
	}
}
