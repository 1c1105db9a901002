// The words a link is tried with: a function of a per-run seed and the position,
// every bit of which looks random, so that data of another run, place or device
// is told apart. Two rounds of the finalizer of MurmurHash3 (A. Appleby).
uint mix(uint x) {
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    return x ^ (x >> 16);
}

uint pattern(uint seed, uint i) { return mix(mix(i + 0x9e3779b9u) ^ seed); }
