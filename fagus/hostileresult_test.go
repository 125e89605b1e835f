package fagus

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestHostileStats: the statistics that another process sends are checked.
func TestHostileStats(t *testing.T) {
	good := Stats{Before: 1, Sections: 1, Spans: []Span{{Part: PartCompute, From: 1, To: 2}, {Part: PartBarrier, From: 2, To: 9, For: 1, Until: 9}}}
	if err := good.check(2); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"Spans":[{"Part":77,"From":0,"To":9000}]}`:                        "span 0 is",
		`{"Spans":[{"Part":-1,"From":0,"To":9000}]}`:                        "span 0 is",
		`{"Spans":[{"Part":0,"From":5,"To":4}]}`:                            "span 0 is",
		`{"Spans":[{"Part":0,"From":0,"To":4},{"Part":4,"From":3,"To":9}]}`: "span 1 is",
		`{"Spans":[{"Part":4,"From":0,"To":4,"For":-1,"Until":3}]}`:         "span 0 is",
		`{"Spans":[{"Part":4,"From":0,"To":4,"For":2,"Until":3}]}`:          "span 0 is",
		`{"Spans":[{"Part":4,"From":0,"To":4,"Until":5}]}`:                  "span 0 is",
		`{"Spans":[{"Part":4,"From":0,"To":4,"Until":-5}]}`:                 "span 0 is",
		`{"Before":-1}`:                      "want at least 0",
		`{"Sections":-1}`:                    "want at least 0",
		`{"After":-1}`:                       "want at least 0",
		`{"Usage":{"Got":-1}}`:               "of processor time",
		`{"Usage":{"Got":2,"Wanted":1}}`:     "at most what was wanted",
		`{"MeasuredUsage":{"Ranks":3}}`:      "at most 2 ranks",
		`{"MeasuredUsage":{"Ranks":-1}}`:     "for -1 ranks",
		`{"Measured":[0,0,-1,0,0,0]}`:        "of release",
		`{"Parts":[{"Time":0},{"Time":-2}]}`: "of acquire",
	} {
		var s Stats
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := s.check(2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// TestHostileStretches: so is where its rank has computed.
func TestHostileStretches(t *testing.T) {
	long, err := json.Marshal(rankWaits{Stretches: make([]rankStretch, mostStretch+1)})
	if err != nil {
		t.Fatal(err)
	}
	for text, ok := range map[string]bool{`{"Stretches":[{"Time":5}]}`: true, `{"Stretches":[{"Time":-5}]}`: false, string(long): false} {
		var w rankWaits
		if err := json.Unmarshal([]byte(text), &w); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := w.check(); (err == nil) != ok {
			t.Errorf("%s: error %v", text, err)
		}
	}
}
