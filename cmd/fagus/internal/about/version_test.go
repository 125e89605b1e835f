package about

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "fagus (unknown)\nrevision  unknown\n"},
		{&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "fagus v1.2.3\nrevision  unknown\n"},
		{&debug.BuildInfo{Main: debug.Module{Version: "v1.2.4-0.20260102"}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
		}}, "fagus v1.2.4-0.20260102\nrevision  abc of 2026-01-02T03:04:05Z, modified\n"},
	} {
		v := newVersion(c.info)
		if got := v.String(); !strings.HasPrefix(got, c.want) || !strings.Contains(got, "\ncodecs    "+v.Codecs+"\n") || len(v.Codecs) != 16 {
			t.Errorf("%+v is printed as\n%s\nwant at first\n%s", c.info, got, c.want)
		}
	}
}
