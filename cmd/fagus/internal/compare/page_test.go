package compare

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestPageEscapes puts markup into all names. The page must escape the markup, and load nothing
// from elsewhere.
func TestPageEscapes(t *testing.T) {
	const evil = `</script><img src=//example.org onerror="x">'`
	c := comparisonOf(made{version: evil, n: 4, total: 3})
	c.App, c.Nodes, c.Versions = evil, 1, []comparedVersion{{Name: evil, About: evil}}
	c.Claims = []claim{{Claim: evil, Verdict: supported, Numbers: evil}}
	var b bytes.Buffer
	p := newPage(c, map[string][]fagus.Stats{evil: {{Spans: []fagus.Span{{Part: fagus.PartCompute, To: dimmnet.Millisecond}}}}})
	if err := p.write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if n := strings.Count(text, "</script>"); n != 1 {
		t.Errorf("%d scripts end, want 1", n)
	}
	if strings.Contains(text, "<img src=//") {
		t.Error("a name became markup")
	}
	if got := regexp.MustCompile(`(?:src|href)="[^"]*"`).FindAllString(text, -1); got != nil {
		t.Errorf("links %q, want none", got)
	}
	if !strings.Contains(text, `"ranks":[[[0,0,1]]]`) {
		t.Error("the span of 1 ms is missing")
	}
}

// TestPageRanks: each rank gets its spans in order of time, of whatever part they are.
func TestPageRanks(t *testing.T) {
	span := func(part fagus.Part, from, to int64) fagus.Span {
		return fagus.Span{Part: part, From: dimmnet.Time(from) * dimmnet.Millisecond, To: dimmnet.Time(to) * dimmnet.Millisecond}
	}
	got := pageRanks([]fagus.Stats{
		{Rank: 0, Spans: []fagus.Span{span(fagus.PartCompute, 0, 2), span(fagus.PartAcquire, 2, 5), span(fagus.PartCompute, 5, 7)}},
		{Rank: 1, Spans: []fagus.Span{span(fagus.PartAcquire, 0, 3)}},
		{Rank: 2},
	}, 3)
	const want = `[[[0,0,2],[1,2,5],[0,5,7]],[[1,0,3]],[]]`
	if text, err := json.Marshal(got); err != nil || string(text) != want {
		t.Errorf("the script gets %s, %v, want %s", text, err, want)
	}
}
