package vk

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArrange(t *testing.T) {
	card := func(name, pci string, uuid byte, driver uint32) *Info {
		i := &Info{Name: name, Type: typeDiscrete, PCI: pci, DriverID: driver}
		i.UUID[3] = uuid
		return i
	}
	cpu := func(name string) *Info {
		i := &Info{Name: name, Type: typeCPU, DriverID: 13}
		i.UUID[0] = 0x6d
		return i
	}
	tests := []struct {
		name   string
		give   []*Info
		failed string // names of failing devices
		want   string // name or name=original
	}{
		{"none", nil, "", ""},
		{"by address", []*Info{card("b", "0000:02:00.0", 2, 4), card("a", "0000:01:00.0", 1, 4)}, "", "a b"},
		{"only the device number differs", []*Info{card("b", "0000:00:06.0", 2, 4), card("a", "0000:00:05.0", 1, 4)}, "", "a b"},
		{"no address comes last, in order", []*Info{cpu("x"), card("a", "0000:01:00.0", 1, 4), cpu("y")}, "", "a x y"},
		{"software copies are devices", []*Info{cpu("x"), cpu("y"), cpu("z")}, "", "x y z"},
		{"two drivers, one address", []*Info{card("a", "0000:01:00.0", 1, 3), card("b", "0000:01:00.0", 9, 1)}, "", "a b=a"},
		{"three entries fold to one", []*Info{card("a", "0000:01:00.0", 1, 3), card("b", "0000:01:00.0", 9, 1), card("c", "", 1, 2)}, "", "a b=a c=a"},
		{"two drivers, one UUID, no address", []*Info{card("a", "", 1, 3), card("b", "", 1, 1)}, "", "a b=a"},
		{"one driver, one UUID, no address", []*Info{card("a", "", 1, 3), card("b", "", 1, 3)}, "", "a b"},
		{"no UUID, no address", []*Info{card("a", "", 0, 3), card("b", "", 0, 1)}, "", "a b"},
		{"different addresses beat one UUID", []*Info{card("a", "0000:01:00.0", 1, 3), card("b", "0000:02:00.0", 1, 1)}, "", "a b"},
		{"the entry that works is the original", []*Info{card("a", "0000:01:00.0", 1, 3), card("b", "0000:01:00.0", 9, 1)}, "a", "a=b b"},
		{"all fail", []*Info{card("a", "0000:01:00.0", 1, 3), card("b", "0000:01:00.0", 9, 1)}, "ab", "a b=a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			arrange(test.give, func(i *Info) *Info { return i }, func(i *Info) bool { return strings.Contains(test.failed, i.Name) })
			var got []string
			for k, i := range test.give {
				if i.Index != k {
					t.Errorf("%s has index %d at position %d", i.Name, i.Index, k)
				}
				s := i.Name
				if i.DuplicateOf >= 0 {
					s = fmt.Sprintf("%s=%s", i.Name, test.give[i.DuplicateOf].Name)
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
