package pagerank

// incoming are the links to pages lo up to but not including hi: to page lo+i from
// pages[first[i]:first[i+1]].
type incoming struct {
	first []int
	pages []int32
	share []float64 // by page: 1 / links from it, or 0 if there are none
}

func links(g *Graph, lo, hi int) incoming {
	in := incoming{first: make([]int, hi-lo+2), share: make([]float64, hi-lo)}
	for _, l := range g.Links {
		if to := int(l.To); to >= lo && to < hi {
			in.first[to-lo+2]++
		}
		if from := int(l.From); from >= lo && from < hi {
			in.share[from-lo]++
		}
	}
	for i, count := range in.share {
		if count > 0 {
			in.share[i] = 1 / count
		}
	}
	for i := 1; i < len(in.first); i++ {
		in.first[i] += in.first[i-1]
	}
	in.pages = make([]int32, in.first[len(in.first)-1])
	for _, l := range g.Links { // first[i+1] goes from the beginning of page i to its end
		if to := int(l.To); to >= lo && to < hi {
			at := &in.first[to-lo+1]
			in.pages[*at] = l.From
			*at++
		}
	}
	return in
}
