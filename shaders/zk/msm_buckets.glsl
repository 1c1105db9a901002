// Where the points of buckets lie once they are sorted: bucket b of window w holds the
// places [ends[b-1], ends[b]), and a chunk is CHUNK places, added by one invocation.
layout(constant_id = 2) const uint CHUNK = 32u;

uint end_of(uint window, uint b) { return ends[push.off[0] + (window << push.log_buckets) + b]; }

// The bucket that holds a place, which must be below the last end.
uint bucket_at(uint window, uint place) {
    uint low = 0u, high = (1u << push.log_buckets) - 1u; // ends[low] <= place < ends[high]; bucket 0 is empty
    while (high - low > 1u) {
        uint middle = (low + high) >> 1;
        if (end_of(window, middle) <= place) low = middle;
        else high = middle;
    }
    return high;
}
