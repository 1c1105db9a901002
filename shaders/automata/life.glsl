// One step of Conway's Life on packed cells, written once for one word (CELLS is
// uint) and for four words beside each other (uvec4). The including file
// defines CELLS before it includes this.
//
// With c the count of all nine cells, a cell lives if c = 3, or if c = 4 and it was
// alive. A row's three horizontal neighbours are added once, as two bit planes, and
// used for three rows of outputs.

struct Row { CELLS cells, one, two; };

// left and right hold every cell's neighbours in the row.
Row row_sum(CELLS left, CELLS mid, CELLS right) {
    return Row(mid, left ^ mid ^ right, (left & mid) | (left & right) | (mid & right));
}

CELLS next_cells(Row up, Row mid, Row down) {
    CELLS p0 = up.one ^ mid.one ^ down.one; // the count, bit 0
    CELLS k0 = (up.one & mid.one) | (up.one & down.one) | (mid.one & down.one);
    CELLS x = up.two ^ mid.two ^ down.two;
    CELLS y = (up.two & mid.two) | (up.two & down.two) | (mid.two & down.two);
    CELLS t0 = x ^ k0;       // (count - p0)/2, bit 0
    CELLS t1 = y ^ (x & k0); // bit 1; a carry out means 4, which both bits show as 0
    return (p0 & t0 & ~t1) | (mid.cells & ~p0 & ~t0 & t1);
}
