package analysis

// Timeline is what ranks did in each of the equal Columns of the run's time. Of many ranks, a row
// is the mean of several ranks in sequence.
type Timeline struct {
	Column Time // how long one takes
	Rows   []Row
	begin  Time
	each   int // ranks in a row
}

// Row is what the ranks From to To did, as shares of each column: Shares[column][cause].
type Row struct {
	From, To int
	Shares   [][Causes]float32
}

const (
	columns  = 480
	mostRows = 64
)

func newTimeline(r *run, total Time) Timeline {
	t := Timeline{Column: max(1, (total+columns-1)/columns), begin: r.begin, each: max(1, (len(r.ranks)+mostRows-1)/mostRows)}
	for i := 0; i < len(r.ranks); i += t.each {
		last := min(i+t.each, len(r.ranks)) - 1
		t.Rows = append(t.Rows, Row{r.ranks[i].number, r.ranks[last].number, make([][Causes]float32, columns)})
	}
	return t
}

// add adds an interval of the rank with an index.
func (t *Timeline) add(rank int, from, to Time, c Cause) {
	row := &t.Rows[rank/t.each]
	from, to = max(0, from-t.begin), to-t.begin
	for column := from / t.Column; from < to && column < columns; column++ {
		end := min(to, (column+1)*t.Column)
		row.Shares[column][c] += float32(end-from) / float32(t.Column)
		from = end
	}
}
