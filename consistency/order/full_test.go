package order

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestFindBeforeFull: Find looks at a meeting only if all logs are complete there. The test tries
// each meeting of a race, with each end of the two logs, also after the logs went through JSON.
func TestFindBeforeFull(t *testing.T) {
	for at := range 3 {
		for full := -1; full <= 3; full++ {
			for other := -1; other <= 3; other++ {
				whole := (full < 0 || at < full) && (other < 0 || at < other)
				logs := []Log{{Full: full}, {Full: other}, {Full: -1}}
				for r := range 2 {
					logs[r].Lines = []string{"a"}
					logs[r].Tenures = []Record{{Tenure: Tenure{Exclusive: true}, Meeting: at}}
				}
				text, err := json.Marshal(logs)
				if err != nil {
					t.Fatal(err)
				}
				var sent []Log
				if err := json.Unmarshal(text, &sent); err != nil {
					t.Fatal(err)
				}
				for _, logs := range [][]Log{logs, sent} {
					if race := Find(logs); (race != nil) != whole {
						t.Errorf("logs that are full after %d and %d, tenures after meeting %d: found %v, want a race: %v", full, other, at, race, whole)
					}
				}
			}
		}
	}
}

// TestFullAtOnce: a Recorder whose first set has too many tenures is full from the beginning, and
// Find reports nothing.
func TestFullAtOnce(t *testing.T) {
	var logs []Log
	for _, tenures := range []int{Most + 1, 1} {
		rec := NewRecorder()
		rec.Acquired("main.go:1", make([]Tenure, tenures))
		rec.Acquired("main.go:2", []Tenure{{Exclusive: true}})
		rec.Released(nil)
		logs = append(logs, rec.Log())
	}
	if logs[0].Full != 0 || len(logs[0].Tenures) != 0 || logs[1].Full != -1 {
		t.Fatalf("logs are full after %d, with %d tenures, and %d: want 0, none and -1", logs[0].Full, len(logs[0].Tenures), logs[1].Full)
	}
	if race := Find(logs); race != nil {
		t.Errorf("a race in a meeting that log 0 does not have: %v", race.Text("v"))
	}
	if race := Find([]Log{{}, logs[1]}); race != nil {
		t.Errorf("a race with a log of which nothing is known: %v", race.Text("v"))
	}
}

// TestMost: a log has Most tenures, and is full with one more.
func TestMost(t *testing.T) {
	for more := range 3 {
		rec := NewRecorder()
		rec.log.Tenures = make([]Record, Most-1) // as if they had been recorded
		rec.Met()
		rec.Acquired("main.go:1", make([]Tenure, 1))
		for i := range more {
			rec.Acquired(fmt.Sprint("main.go:", i+2), []Tenure{{Exclusive: true}})
			rec.Met()
		}
		l, want := rec.Log(), -1
		if more > 0 {
			want = 1
		}
		if l.Full != want || len(l.Tenures) != Most {
			t.Errorf("with %d tenures more than it may have, a log has %d and is full after %d: want %d, %d", more, len(l.Tenures), l.Full, Most, want)
		}
	}
}

// TestValidateFull: Full is -1, or a meeting that is not before the log's last tenure.
func TestValidateFull(t *testing.T) {
	for full := -3; full <= 4; full++ {
		l := Log{Lines: []string{"a"}, Tenures: []Record{{Meeting: 2}}, Full: full}
		if err := l.Validate(1); (err == nil) != (full == -1 || full >= 2) {
			t.Errorf("a log with a tenure after meeting 2 that is full after %d: %v", full, err)
		}
	}
	empty := Log{Full: 0}
	if err := empty.Validate(1); err != nil {
		t.Error(err)
	}
}
