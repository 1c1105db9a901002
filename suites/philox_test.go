package suites

import "testing"

// The known answers of the reference implementation (Random123).
func TestPhiloxKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		ctr  [4]uint32
		key  [2]uint32
		want [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{}, [2]uint32{42}, [4]uint32{0x9ceaf053, 0x77f5493b, 0x12bf50ad, 0x5742b3d7}},
		{[4]uint32{1}, [2]uint32{42}, [4]uint32{0xfcdb2127, 0x53ba6cfd, 0x838f5a6e, 0x744e06fb}},
	} {
		if got := Philox(c.ctr, c.key); got != c.want {
			t.Errorf("Philox(%x, %x) = %08x, expected %08x", c.ctr, c.key, got, c.want)
		}
	}
}

func TestStream(t *testing.T) {
	s := Stream{Seed: 42}
	if got := s.Word(1); got != 0xfcdb2127 {
		t.Errorf("word 1 is %08x", got)
	}
	if s.Word(1) == s.Word(1+1<<32) {
		t.Error("the high word of the index is ignored")
	}
	if got, want := s.F32(1, 0, 1), float32(0xfcdb21)*0x1p-24; got != want {
		t.Errorf("value 1 is %v, expected %v", got, want)
	}
	for i := range int64(1000) {
		if x := s.F32(i, -1, 1); x < -1 || x >= 1 {
			t.Fatalf("value %d is %v", i, x)
		}
	}
}
