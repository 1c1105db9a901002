package hash

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// messages is a batch of n messages of one length, hashed each for itself.
type messages struct {
	info  suites.Info
	ops   float64 // nominal 32-bit operations of one block
	rate  int64   // bytes of a block
	least int64   // bytes that padding takes at least
	sum   func(words []uint32) [hashWords]uint32
}

const (
	idMessages = 1
	// A message is a whole number of 16-byte vectors, up to maxMessage bytes.
	vectorBytes = 16
	maxMessage  = 1024
	maxMessages = 1 << 40
)

// The constants of the kernels.
var (
	messageGroup = suites.Tunable{
		Name: "group", Doc: "invocations of a work-group", Values: []int64{64, 128, 256, 512}, Default: 256,
		Else: []suites.ClassDefault{
			{Class: suites.AMD, Value: 64, Why: "one wavefront, or two of 32: nothing is shared, and small groups leave no wavefront waiting for others to end"},
			{Class: suites.Intel, Value: 128, Why: "8 threads of 16 invocations: small enough to fill a core that has room for few large groups"},
		},
	}
	messagesEach = suites.Tunable{
		Name: "each", Doc: "messages that an invocation hashes one after another", Values: []int64{1, 2, 4}, Default: 1,
	}
)

// messageInfo is what the batches have in common.
func messageInfo(i suites.Info) suites.Info {
	i.Number = 31
	i.Sizes = suites.Sizes{S: 1 << 12, M: 1 << 26, L: 1 << 28}
	i.SizeUnit = "messages"
	i.WorkUnit = "hash"
	i.Bytes = "message and 32 per hash"
	i.Splits = []string{"ranges"}
	i.Communication = "none"
	i.Tolerance = "E0"
	i.Weak = "messages proportional to the number of devices"
	i.Params = []suites.Param{{Name: "bytes", Doc: "length of a message, a multiple of 16", Default: 64, Min: vectorBytes, Max: maxMessage, Multiple: vectorBytes}}
	i.Tunables = []suites.Tunable{messageGroup, messagesEach}
	return i
}

func (m messages) Info() suites.Info { return m.info }

func (m messages) Build(b suites.Build) (*program.Program, error) {
	length := b.Params["bytes"]
	if length%vectorBytes != 0 {
		return nil, fmt.Errorf("%s: messages of %d bytes: choose a multiple of %d", m.info.ID, length, vectorBytes)
	}
	if b.Size < 1 || b.Size > maxMessages {
		return nil, fmt.Errorf("%s: %d messages: choose 1 to %d", m.info.ID, b.Size, int64(maxMessages))
	}
	words := length / 4
	group, err := b.Group(messageGroup)
	if err != nil {
		return nil, err
	}
	each := b.Tuned(messagesEach)
	shares := b.Divide(b.Size, groupSize)
	launches := make([]program.Launch, len(shares))
	for d, s := range shares {
		launches[d] = program.Launch{Units: s.Len(), Div: group * each}
	}
	blocks := float64((length+m.least+m.rate-1)/m.rate) * float64(b.Size)
	return &program.Program{
		Units: b.Size, Shares: shares,
		Arrays: []program.Array{
			{Name: "hashes", Elem: program.U32, Layout: program.Split, Units: b.Size, Stride: hashWords, Output: true},
			{Name: "messages", Elem: program.U32, Layout: program.Split, Units: b.Size, Stride: words,
				Source: program.Source{Kind: program.PhiloxRaw, ID: idMessages}},
		},
		Kernels: []program.Kernel{{Name: "main", Shader: m.info.ID, Spec: []program.Spec{
			{ID: 0, Value: uint32(group)}, {ID: 1, Value: uint32(words)}, {ID: 2, Value: uint32(each)},
		}}},
		Steps: []program.Step{program.Dispatch{
			Label: "hash", Kernel: "main",
			Bind: []program.Binding{{Array: "hashes", Access: program.Write}, {Array: "messages", Access: program.Read}},
			On:   launches,
		}},
		Work: float64(b.Size), Flops: m.ops * blocks, Bytes: float64(b.Size) * float64(length+4*hashWords),
	}, nil
}

// Verify hashes messages on the CPU.
func (m messages) Verify(c *suites.Check) (suites.Outcome, error) {
	words := c.Build.Params["bytes"] / 4
	stream := suites.Stream{Seed: c.Build.Seed, Workload: m.info.Number, Array: idMessages}
	tally, err := c.EachUnit("hashes", c.Build.Size, func(u int64, got []uint32, t *suites.Tally) {
		message := make([]uint32, words)
		for k := range message {
			message[k] = stream.Word(u*words + int64(k))
		}
		for k, want := range m.sum(message) {
			t.Bits("hashes", u*hashWords+int64(k), got[k], want)
		}
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	return tally.Outcome("E0", ""), nil
}
