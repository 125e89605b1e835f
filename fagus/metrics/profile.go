package metrics

import (
	"bytes"
	"fmt"
	"net/http"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/fagus-dsm/fagus/fagus/meter"
)

// MostProfile is the longest profile that a server makes.
const MostProfile = 20 * time.Second

// profile answers with a CPU profile of this process over some seconds. There is one at a time.
func profile(m *meter.Meter) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		seconds, err := strconv.ParseFloat(r.FormValue("seconds"), 64)
		if err != nil || !(seconds > 0 && seconds <= MostProfile.Seconds()) {
			http.Error(w, fmt.Sprintf("seconds: want a number up to %v", MostProfile.Seconds()), http.StatusBadRequest)
			return
		}
		var b bytes.Buffer
		if err := pprof.StartCPUProfile(&b); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		m.Profile(true)
		select {
		case <-time.After(time.Duration(seconds * float64(time.Second))):
		case <-r.Context().Done():
		}
		m.Profile(false)
		pprof.StopCPUProfile()
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(b.Bytes()) // the client may be gone
	}
}
