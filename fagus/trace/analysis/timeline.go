package analysis

// Timeline is what ranks did in each column of the time of the run. Of many ranks, a row is the
// mean of several ranks in sequence.
type Timeline struct {
	Begin  Time  // of the first column
	Column Time  // how long one takes
	Rows   []Row // what the ranks did
	Path   []Row // of that, what is in the critical path
	each   int   // ranks in a row
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

func newTimeline(r *run, total Time) *Timeline {
	t := &Timeline{Column: max(1, (total+columns-1)/columns), Begin: r.begin, each: max(1, (len(r.ranks)+mostRows-1)/mostRows)}
	for i := 0; i < len(r.ranks); i += t.each {
		last := min(i+t.each, len(r.ranks)) - 1
		for _, rows := range []*[]Row{&t.Rows, &t.Path} {
			*rows = append(*rows, Row{r.ranks[i].number, r.ranks[last].number, make([][Causes]float32, columns)})
		}
	}
	return t
}

// add adds an interval of the rank with an index.
func (t *Timeline) add(rank int, from, to Time, c Cause) {
	row := &t.Rows[rank/t.each]
	ranks := min(t.each, row.To-row.From+1)
	t.fill(row, from, to, c, 1/float32(ranks))
}

// addPath adds a part of the critical path.
func (t *Timeline) addPath(rank int, from, to Time, c Cause) {
	t.fill(&t.Path[rank/t.each], from, to, c, 1)
}

func (t *Timeline) fill(row *Row, from, to Time, c Cause, share float32) {
	from, to = max(0, from-t.Begin), to-t.Begin
	for column := from / t.Column; from < to && column < columns; column++ {
		end := min(to, (column+1)*t.Column)
		row.Shares[column][c] += share * float32(end-from) / float32(t.Column)
		from = end
	}
}
