package annals_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

func TestFilesThatAreCompleteButWaitAreFlushedSoon(t *testing.T) {
	flushed := make(chan string, 100)
	annals.ObserveFlushes(t, func(path string) { flushed <- filepath.Base(path) })
	var isUp atomic.Bool
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if isUp.Load() && !isUsage(w, r) {
			stored(w)
		} else if !isUp.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	client := clientOf(t, server.URL, func(o *annals.Options) {
		o.Clock = nil
		o.Tracking.Spool, o.Tracking.BatchEvents = spoolOf(t, t.TempDir(), annals.SpoolOptions{}), 2
	})
	for range 5 {
		client.Track(ctx, annals.NewEvent{Action: "a"})
	}
	// The first batch is repeated, so the others are not sealed.
	waiting := map[string]bool{"0000000002.open": true, "0000000003.open": true}
	limit := time.After(10 * time.Second)
	for len(waiting) > 0 {
		select {
		case name := <-flushed:
			delete(waiting, name)
		case <-limit:
			t.Fatalf("%v are not flushed", waiting)
		}
	}
	isUp.Store(true)
	closed(t, client)
}

func TestAFolderIsFlushedWithEachNameThatIsNewInIt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	flushed := make(chan string, 100)
	annals.ObserveFlushes(t, func(path string) {
		names, err := filepath.Glob(filepath.Join(path, "*"))
		switch {
		case path == dir:
			flushed <- "spool"
		case err == nil && len(names) > 0:
			flushed <- strings.TrimPrefix(filepath.Base(names[0]), "owner.json")
		}
	})
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if !isUsage(w, r) {
			stored(w)
		}
	})
	client := clientOf(t, server.URL, func(o *annals.Options) {
		o.Clock = nil
		o.Tracking.Spool, o.Tracking.MaxWait = spoolOf(t, dir, annals.SpoolOptions{}), time.Hour
	})
	client.Track(ctx, annals.NewEvent{Action: "a"})
	waiting := map[string]bool{"": true, "spool": true, "0000000001.open": true}
	limit := time.After(10 * time.Second)
	for isSent := false; len(waiting) > 0; {
		select {
		case name := <-flushed:
			delete(waiting, name)
		case <-limit:
			t.Fatalf("without a flush: %v", waiting)
		}
		if len(waiting) == 0 && !isSent {
			isSent = true
			waiting = map[string]bool{"0000000001.ready": true, "0000000001.sent": true}
			closed(t, client)
		}
	}
}

// twice sends to who has then done the first.
func twice(t *testing.T, ticks chan time.Time) {
	t.Helper()
	for range 2 {
		select {
		case ticks <- time.Now():
		case <-time.After(10 * time.Second):
			t.Fatal("nobody waits for this time")
		}
	}
}

func batches(server *scripted) int {
	count := 0
	for _, one := range server.received() {
		if one.path == "/v1/events/batch" {
			count++
		}
	}
	return count
}

func TestWhatIsLeftLaterIsClaimedAfter30Seconds(t *testing.T) {
	_, each30 := annals.Ticks(t)
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if !isUsage(w, r) {
			stored(w)
		}
	})
	dir := t.TempDir()
	client := spooling(t, server.URL, spoolOf(t, dir, annals.SpoolOptions{}))
	defer closed(t, client)
	if err := client.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	folder := leftBehind(t, dir)
	write(t, filepath.Join(folder, "0000000001.ready"), `93584613e967b649 {"action":"a<b","occurred_at":"2026-01-31T08:00:00Z"}`+"\n")
	if err := client.Flush(ctx); err != nil || batches(server) != 0 {
		t.Errorf("%d batches, %v", batches(server), err)
	}
	twice(t, each30)
	if err := client.Flush(ctx); err != nil || batches(server) != 1 {
		t.Errorf("%d batches, %v", batches(server), err)
	}
}

func TestOfClientsThatFindAFolderTogetherOneClaimsIt(t *testing.T) {
	dir := t.TempDir()
	folder := leftBehind(t, dir)
	owner := filepath.Join(folder, "owner.json")
	write(t, owner, `{"account":"acct_a","key":null,"boot_id":null,"pid_namespace":null,"pid":1,"started":null}`)
	if err := os.Chtimes(owner, time.Unix(0, 0), time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "0000000001.ready"), `713f05e2a81dc56f {"action":"a1"}`+"\n")
	if claims := annals.ClaimTogether(t, dir, "acct_a", 4); claims != 1 {
		t.Errorf("%d have claimed it", claims)
	}
}

func TestAClientWhoseEventsWaitShowsEach20SecondsThatItLives(t *testing.T) {
	each20, _ := annals.Ticks(t)
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if !isUsage(w, r) {
			stored(w)
		}
	})
	dir := t.TempDir()
	client := clientOf(t, server.URL, func(o *annals.Options) {
		o.Clock = nil
		o.Tracking.Spool, o.Tracking.MaxWait = spoolOf(t, dir, annals.SpoolOptions{}), time.Hour
	})
	defer closed(t, client)
	client.Track(ctx, annals.NewEvent{Action: "a"})
	owners, err := filepath.Glob(filepath.Join(dir, "*Z-*", "owner.json"))
	if err != nil || len(owners) != 1 {
		t.Fatal(owners, err)
	}
	long := time.Unix(1_000, 0)
	if err := os.Chtimes(owners[0], long, long); err != nil {
		t.Fatal(err)
	}
	twice(t, each20)
	if info, err := os.Stat(owners[0]); err != nil || info.ModTime().Equal(long) {
		t.Error("it shows nothing")
	}
}
