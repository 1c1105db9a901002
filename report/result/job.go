package result

// Job is the ranks of MPI that measured together.
type Job struct {
	// Library is the MPI that carried what crossed from rank to rank, with its version.
	Library string `json:"library"`
	Nodes   []Node `json:"nodes"`
}

// Node is one machine of a job. Its devices name it (Device.Node).
type Node struct {
	Name        string `json:"name"`
	Ranks       []int  `json:"ranks"`
	Host        Host   `json:"host"`
	Fingerprint string `json:"fingerprint"` // of its devices in the job
	// ClockError is the most that the clocks of its ranks may have been off that of rank 0
	// while samples were taken, seconds; absent: all of its work was rank 0's own, or it
	// had none.
	ClockError float64 `json:"clock_error,omitempty"`
}

// NodeOf finds the node of a device; nil: none is known.
func (r *Result) NodeOf(device int) *Node {
	if r.Job == nil || device < 0 || device >= len(r.Devices) {
		return nil
	}
	for i := range r.Job.Nodes {
		if r.Job.Nodes[i].Name == r.Devices[device].Node {
			return &r.Job.Nodes[i]
		}
	}
	return nil
}
