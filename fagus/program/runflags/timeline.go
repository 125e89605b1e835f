package runflags

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/outfile"
)

// TimelineSchema identifies the document of a Timeline, which docs/reference/json.md describes.
const TimelineSchema = "fagus.timeline/v1"

// Timeline is a JSON document: what every rank of a run did when.
type Timeline struct {
	Schema string        `json:"schema"`
	Clock  dimmnet.Clock `json:"clock"`
	Parts  []string      `json:"parts"`
	// Ranks has the spans of each rank in order of time: the index of the part, the begin and the
	// end in nanoseconds.
	Ranks [][][3]int64 `json:"ranks"`
}

// NewTimeline returns the timeline of a run whose Config.Timeline was set.
func NewTimeline(report fagus.Report) *Timeline {
	t := &Timeline{Schema: TimelineSchema, Clock: report.Clock, Parts: partNames(), Ranks: [][][3]int64{}}
	for i := range report.Ranks {
		spans := [][3]int64{}
		for _, s := range report.Ranks[i].Spans {
			spans = append(spans, [3]int64{int64(s.Part), s.From.Nanoseconds(), s.To.Nanoseconds()})
		}
		t.Ranks = append(t.Ranks, spans)
	}
	return t
}

func partNames() (names []string) {
	for part := range fagus.Parts {
		names = append(names, part.String())
	}
	return names
}

// CheckTimelineName returns an error unless WriteTimeline can write a file of this name.
func CheckTimelineName(path string) error {
	if !strings.EqualFold(filepath.Ext(path), ".svg") && !isJSON(path) {
		return fmt.Errorf("%s: want a name that ends in .svg or .json", path)
	}
	return nil
}

func isJSON(path string) bool { return strings.EqualFold(filepath.Ext(path), ".json") }

// WriteTimeline writes the timeline of a run whose Config.Timeline was set to a file: the document
// if the name ends in .json, else a picture.
func WriteTimeline(path string, report fagus.Report) error {
	if isJSON(path) {
		return outfile.Replace(path, NewTimeline(report).Write)
	}
	return outfile.Replace(path, report.Timeline)
}

// Write writes the document. It has no indentation, because a run may have many spans.
func (t *Timeline) Write(w io.Writer) error { return json.NewEncoder(w).Encode(t) }

// Stats returns the statistics of each rank, with nothing but its spans.
func (t *Timeline) Stats() ([]fagus.Stats, error) {
	if t.Schema != TimelineSchema || !slices.Equal(t.Parts, partNames()) {
		return nil, fmt.Errorf("a timeline of schema %q with the parts %q: want %q with %q", t.Schema, t.Parts, TimelineSchema, partNames())
	}
	const most = math.MaxInt64 / int64(fagus.Nanosecond)
	ranks := make([]fagus.Stats, len(t.Ranks))
	for rank, spans := range t.Ranks {
		ranks[rank].Rank = rank
		last := int64(0)
		for _, s := range spans {
			part, from, to := s[0], s[1], s[2]
			if part < 0 || part >= int64(fagus.Parts) || from < last || to < from || to > most {
				return nil, fmt.Errorf("a timeline with the span %d of rank %d after %d ns: want one of %d parts, that begins later", s, rank, last, fagus.Parts)
			}
			last = to
			ranks[rank].Spans = append(ranks[rank].Spans, fagus.Span{
				Part: fagus.Part(part), From: fagus.Time(from) * fagus.Nanosecond, To: fagus.Time(to) * fagus.Nanosecond,
			})
		}
	}
	return ranks, nil
}
