package html

// term is a word that the page uses in one meaning.
type term struct{ Name, Text string }

// glossary explains the words of the report in the order of reading.
var glossary = []term{
	{"row", "one workload in one mode on one number of GPUs, over all its launches"},
	{"launch", "fresh device state: devices opened, buffers filled, warm-up, samples, check; a row's time is the median over its launches' medians"},
	{"sample", "one timed repetition: the time of one iteration, averaged over those run back to back"},
	{"block", "one round over all rows in random order, so that drift of the machine hits all alike"},
	{"strong, weak, solo", "strong keeps the total size, weak the size per GPU; solo runs the workload on each GPU alone"},
	{"speedup", "rate over that of the base count, which is the smallest that was measured"},
	{"ideal", "the sum of the rates the GPUs reach alone; for equal GPUs the number of GPUs"},
	{"efficiency", "rate reached over the ideal"},
	{"bound of an equal split", "the best efficiency that equal shares can reach on unequal GPUs: the slowest sets the pace"},
	{"bound of the stages", "the best efficiency that the stages of a pipeline can reach by their operations: the largest sets the pace"},
	{"95 % interval (CI)", "holds the true value in 95 of 100 measurements; “within launch” ones only cover what varies inside a launch"},
	{"[..] t", "Student's interval over three launches or more, where there are too few for one that assumes nothing: it assumes that launches are log-normal, and no verdict rests on it"},
	{"load balance, imbalance", "mean compute time of the GPUs over the longest; what is lost because shares take unequally long"},
	{"serialization", "lost because another GPU is the slow one in each phase, or one waits for its predecessor"},
	{"transfer", "lost to copies between GPUs that computing does not hide"},
	{"orchestration", "lost between the phases: launch, submission, synchronisation with the host, uneven start and end"},
	{"critical path", "what the end of a sample waited for, from one span of the timeline to the one before it; the bottleneck is the kind of span that most of it consists of, and the GPU that the others wait for"},
	{"host, wait", "a GPU has nothing to do: the host has to launch, copy or hand out something first, or others are not done yet"},
	{"computation scaling", "compute time of all GPUs together against that of the base: work, clock and rate in one where these are not known apart"},
	{"work", "operations done more than once, such as halos"},
	{"clock", "lost to a lower shader clock"},
	{"rate", "operations per clock: smaller pieces fill a GPU less, or fit its cache better"},
	{"serial fraction (Karp-Flatt)", "the serial share of the work that would explain one speedup; growing with the number of GPUs it shows overhead"},
	{"Amdahl, Gustafson, USL", "laws of scaling fitted to the counts; the universal scalability law has contention (sigma) and coherency (kappa); “not identifiable” means that the counts do not fix its parameters"},
	{"noise floor (A/A)", "how far two measurements of the same thing lie apart here; smaller changes are not changes"},
	{"link, transport", "an ordered pair of GPUs, and the way data crosses it; verified: random data arrived unharmed"},
	{"roofline", "the rate that arithmetic and memory allow at so many operations per byte"},
	{"software device", "a driver that computes on the CPU: its numbers say nothing about a GPU"},
}
