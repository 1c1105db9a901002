package peer

import (
	"errors"

	"github.com/amgpu/amgpu/vk"
)

// chain is the schedule of one exchange alone: what comes before it, its rounds,
// and what comes after it.
type chain struct {
	team        []*vk.Device
	rounds      []Round
	first, last [][]vk.Op // by device: before and after the exchange
	commands    []*vk.Commands
	made        *vk.Schedule
}

func newChain(team []*vk.Device, rounds []Round) *chain {
	return &chain{team: team, rounds: rounds, first: make([][]vk.Op, len(team)), last: make([][]vk.Op, len(team))}
}

// before adds work of a device ahead of the exchange.
func (c *chain) before(device int, ops ...vk.Op) {
	c.first[device] = append(append(c.first[device], ops...), Barrier(vk.StageCompute|vk.StageTransfer, vk.StageTransfer))
}

// after adds work of a device behind the exchange.
func (c *chain) after(device int, ops ...vk.Op) {
	c.last[device] = append(append(c.last[device], Barrier(vk.StageTransfer|vk.StageHost, vk.StageCompute|vk.StageTransfer)), ops...)
}

// ops lists the operations of a device in a phase, and those of its second queue; there
// is one phase more than there are rounds.
func (c *chain) ops(phase, d int) (ops, beside []vk.Op) {
	if phase > 0 && len(c.rounds[phase-1].In[d]) > 0 {
		in := append([]vk.Op{Barrier(vk.StageHost, vk.StageTransfer)}, c.rounds[phase-1].In[d]...)
		if phase < len(c.rounds) && len(c.rounds[phase].Out[d]) > 0 {
			beside = in
		} else {
			ops = in
		}
	}
	if phase == 0 {
		ops = append(ops, c.first[d]...)
	}
	if phase < len(c.rounds) && len(c.rounds[phase].Out[d]) > 0 {
		ops = append(append(ops, c.rounds[phase].Out[d]...), Barrier(vk.StageTransfer, vk.StageHost))
	}
	if phase == len(c.rounds) {
		ops = append(ops, c.last[d]...)
	}
	return ops, beside
}

// schedule records everything.
func (c *chain) schedule() (*vk.Schedule, error) {
	phases := make([]vk.Phase, len(c.rounds)+1)
	for p := range phases {
		phases[p].Submissions, phases[p].Beside = make([][]*vk.Commands, len(c.team)), make([][]*vk.Commands, len(c.team))
		for d, device := range c.team {
			ops, beside := c.ops(p, d)
			var err error
			if phases[p].Submissions[d], err = c.record(device.Record, ops); err != nil {
				return nil, err
			}
			if phases[p].Beside[d], err = c.record(device.RecordBeside, beside); err != nil {
				return nil, err
			}
		}
		if p < len(c.rounds) {
			phases[p].Copies, phases[p].Peers = c.rounds[p].Copies, c.rounds[p].Peers
		}
	}
	s, err := vk.NewSchedule(c.team, phases)
	c.made = s
	return s, err
}

func (c *chain) record(how func([]vk.Op) (*vk.Commands, error), ops []vk.Op) ([]*vk.Commands, error) {
	if len(ops) == 0 {
		return nil, nil
	}
	commands, err := how(ops)
	if err != nil {
		return nil, err
	}
	c.commands = append(c.commands, commands)
	return []*vk.Commands{commands}, nil
}

// close frees what schedule made.
func (c *chain) close() error {
	errs := []error{c.made.Close()}
	for _, x := range c.commands {
		errs = append(errs, x.Close())
	}
	return errors.Join(errs...)
}
