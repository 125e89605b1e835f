package pagerank

// incoming has the links to pages from lo on: to page lo+i from pages[first[i]:first[i+1]].
type incoming struct {
	first []int
	pages []int32
	share []float64 // by page: 1 / outgoing links, or 0 for a page without links
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
	// advances first[i+1] from the start of page i's links to their end
	for _, l := range g.Links {
		if to := int(l.To); to >= lo && to < hi {
			at := &in.first[to-lo+1]
			in.pages[*at] = l.From
			*at++
		}
	}
	return in
}
