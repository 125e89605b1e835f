package compare

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// TestPageEscapes puts markup into all names. The page must escape the markup, and load nothing
// from elsewhere.
func TestPageEscapes(t *testing.T) {
	const evil = `</script><img src=//example.org onerror="x">'`
	c := comparisonOf(made{version: evil, n: 4, total: 3})
	c.App, c.Nodes, c.Versions = evil, 1, []comparedVersion{{Name: evil, About: evil}}
	c.Claims = []claim{{Claim: evil, Verdict: supported, Numbers: evil}}
	var b bytes.Buffer
	p := newPage(c, []trace{{evil, []sim.Record{{Note: "compute"}, {At: dimmnet.Millisecond, Note: "end"}}}})
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

// TestPageTimeline: from the mixed records of several ranks, each rank gets its spans in order of
// time.
func TestPageTimeline(t *testing.T) {
	at := func(ms int64, rank dimmnet.Rank, note string) sim.Record {
		return sim.Record{At: dimmnet.Time(ms) * dimmnet.Millisecond, Rank: rank, Note: note}
	}
	got := newPageTimeline(trace{"v", []sim.Record{
		at(0, 0, "compute"), at(0, 1, "acquire"), at(2, 0, "acquire"), at(3, 1, "compute"), at(5, 0, "compute"), at(7, 0, "acquire"),
	}}, 3)
	const want = `{"version":"v","ranks":[[[0,0,2],[1,2,5],[0,5,7]],[[1,0,3]],[]]}`
	if text, err := json.Marshal(got); err != nil || string(text) != want {
		t.Errorf("the script gets %s, %v, want %s", text, err, want)
	}
}
