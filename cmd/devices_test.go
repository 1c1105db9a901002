package cmd

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

// A device that fails is listed with its reason and hides neither the others
// nor the links between them; a second driver for a card is named as such.
func TestFailingDeviceHidesNothing(t *testing.T) {
	flags := poolFlags{software: "4"}
	r, err := flags.openRig()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.close(); err != nil {
			t.Error(err)
		}
	}()
	r.entries[1].err = errors.New("its firmware did not answer")
	r.entries[3].duplicateOf = 2
	var doc devicesJSON
	if err := doc.add(context.Background(), r, flags); err != nil {
		t.Fatal(err)
	}
	doc.Problems = append(doc.Problems, problems(doc.Devices, nil, true)...)
	var statuses []string
	for _, d := range doc.Devices {
		statuses = append(statuses, d.Status)
	}
	if got := strings.Join(statuses, " "); got != "usable failed usable duplicate" {
		t.Errorf("devices are %s", got)
	}
	if len(doc.Links) != 2 || doc.Links[0].From != 0 || doc.Links[0].To != 2 || !doc.Links[0].Verified || !doc.Links[1].Verified {
		t.Errorf("links %+v", doc.Links)
	}
	var out bytes.Buffer
	if err := doc.print(&out, false, streams{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"problem: device 1 llvmpipe", "its firmware did not answer", "duplicate of 2", "device 2 llvmpipe"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
