package reproduce_test

import (
	"context"
	"testing"

	"github.com/fagus-dsm/fagus/apps/reproduce"
)

func TestAOTF(t *testing.T) {
	table, err := reproduce.AOTF(context.Background(), reproduce.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Rows {
		p, e := 0.0, 0.0
		if r.Paper != nil {
			p, e = *r.Paper, *r.Error*100
		}
		t.Logf("%s %s %.1f %.1f %.1f%%", r.Env, r.Quantity, r.Model, p, e)
	}
}
