package runflags_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// TestTimeline: what is read back is what was written.
func TestTimeline(t *testing.T) {
	const us = fagus.Microsecond
	want := []fagus.Stats{
		{Rank: 0, Spans: []fagus.Span{{Part: fagus.PartCompute, To: 3 * us}, {Part: fagus.PartAcquire, From: 3 * us, To: 5 * us}}},
		{Rank: 1},
	}
	var b bytes.Buffer
	if err := runflags.NewTimeline(fagus.Report{Ranks: want}).Write(&b); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, `"ranks":[[[0,0,3000],[1,3000,5000]],[]]`) {
		t.Errorf("the document is %s", text)
	}
	read := func(text string) ([]fagus.Stats, error) {
		var line runflags.Timeline
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		return line.Stats()
	}
	if got, err := read(b.String()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for _, wrong := range [][2]string{{"/v1", "/v2"}, {"acquire", "wait"}, {"[1,3000", "[6,3000"}, {"[1,3000", "[-1,3000"}, {"[1,3000", "[1,2999"}, {",5000", ",2000"}, {",5000", ",9223372036854775807"}} {
		if _, err := read(strings.ReplaceAll(b.String(), wrong[0], wrong[1])); err == nil {
			t.Errorf("a document with %s is read", wrong[1])
		}
	}
}
