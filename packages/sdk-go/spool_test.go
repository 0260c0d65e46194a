package annals_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

func spoolOf(t *testing.T, dir string, options annals.SpoolOptions) *annals.Spool {
	t.Helper()
	spool, err := annals.NewSpool(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	return spool
}

// spooling makes a client with a spool. Its clock is the system's, since ages of files count.
func spooling(t *testing.T, url string, spool *annals.Spool) *annals.Client {
	t.Helper()
	return clientOf(t, url, func(o *annals.Options) {
		o.Clock = nil
		o.Tracking.Spool, o.Tracking.BatchEvents, o.Tracking.MaxWait = spool, 50, time.Millisecond
	})
}

func isUsage(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != "/v1/usage" {
		return false
	}
	_, _ = w.Write([]byte(`{"data":{"account_id":"acct_a"}}`))
	return true
}

func TestEventsOfManyGoroutinesAndSpoolsAreStoredOnceInTheirOrder(t *testing.T) {
	var mu sync.Mutex
	byKey, order, attempts := map[string][]annals.NewEvent{}, []string{}, 0
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if isUsage(w, r) {
			return
		}
		mu.Lock()
		attempts++
		isCut := attempts%3 == 0
		mu.Unlock()
		if isCut {
			panic(http.ErrAbortHandler)
		}
		stored(w)
	})
	dir := t.TempDir()
	for round := range 3 {
		client := spooling(t, server.URL, spoolOf(t, dir, annals.SpoolOptions{}))
		var all sync.WaitGroup
		for writer := range 4 {
			all.Add(1)
			go func() {
				defer all.Done()
				for number := range 50 {
					metadata := map[string]any{"writer": round*4 + writer, "number": number}
					if !client.Track(ctx, annals.NewEvent{Action: "a", Metadata: metadata}) {
						t.Error("it is dropped")
					}
				}
			}()
		}
		all.Wait()
		closed(t, client)
	}
	for _, one := range server.received() {
		if one.path != "/v1/events/batch" {
			continue
		}
		var body struct{ Events []annals.NewEvent }
		if err := json.Unmarshal([]byte(one.body), &body); err != nil {
			t.Fatal(err)
		}
		key := one.header.Get("Idempotency-Key")
		if byKey[key] == nil {
			order = append(order, key)
		}
		byKey[key] = body.Events
	}
	next := map[float64]float64{}
	for _, key := range order {
		for _, event := range byKey[key] {
			writer, number := event.Metadata["writer"].(float64), event.Metadata["number"].(float64)
			if number != next[writer] {
				t.Fatalf("%v of %v comes after %v", number, writer, next[writer])
			}
			next[writer]++
		}
	}
	if len(next) != 12 || next[0] != 50 || next[11] != 50 {
		t.Error(next)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

func TestASpoolIsForOneClientAndEndsWithIt(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if !isUsage(w, r) {
			stored(w)
		}
	})
	spool := spoolOf(t, t.TempDir(), annals.SpoolOptions{Sync: annals.SyncEvent, Producer: "billing"})
	client := spooling(t, server.URL, spool)
	client.Track(ctx, annals.NewEvent{Action: "a"})
	if err := client.Ready(ctx); err != nil {
		t.Error(err)
	}
	closed(t, client)
	if client.Track(ctx, annals.NewEvent{Action: "b"}) {
		t.Error("a client that is closed takes an event")
	}
	if stats, err := spool.Stats(); err != nil || stats != (annals.SpoolStats{}) {
		t.Errorf("%+v, %v", stats, err)
	}
	if _, err := annals.New(annals.Options{
		BaseURL: server.URL, APIKey: "k", Tracking: annals.TrackingOptions{Spool: spool},
	}); err == nil {
		t.Error("two clients have one spool")
	}
}

func TestFilesAreForTheirOwnerAloneAndHaveTheFormat(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if !isUsage(w, r) {
			stored(w)
		}
	})
	dir := filepath.Join(t.TempDir(), "spool")
	client := clientOf(t, server.URL, func(o *annals.Options) {
		o.Clock = nil
		o.Tracking.Spool, o.Tracking.MaxWait = spoolOf(t, dir, annals.SpoolOptions{}), time.Hour
	})
	defer closed(t, client)
	client.Track(ctx, annals.NewEvent{Action: "a<b", OccurredAt: "2026-01-31T08:00:00Z"})
	folders, err := filepath.Glob(filepath.Join(dir, "*Z-*"))
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	if info, err := os.Stat(folders[0]); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	for _, name := range []string{"owner.json", "0000000001.open"} {
		info, err := os.Stat(filepath.Join(folders[0], name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(folders[0], "0000000001.open"))
	want := `93584613e967b649 {"action":"a<b","occurred_at":"2026-01-31T08:00:00Z"}` + "\n"
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	owner, err := os.ReadFile(filepath.Join(folders[0], "owner.json"))
	if err != nil || !strings.HasPrefix(string(owner), `{"account":null,"key":"15acd6286a7f0855","boot_id":`) {
		t.Errorf("%s, %v", owner, err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// leftBehind is a folder of a process that is gone.
func leftBehind(t *testing.T, dir string) string {
	t.Helper()
	folder := filepath.Join(dir, "20260131T080000000Z-0123456789ab")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	owner := `{"account":null,"key":"15acd6286a7f0855","boot_id":null,"pid_namespace":null,"pid":1,"started":null}`
	write(t, filepath.Join(folder, "owner.json"), owner)
	if err := os.Chtimes(filepath.Join(folder, "owner.json"), time.Unix(0, 0), time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestAFolderThatCannotBeReadIsGivenBack(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if !isUsage(w, r) {
			stored(w)
		}
	})
	dir := t.TempDir()
	file := filepath.Join(leftBehind(t, dir), "0000000001.ready")
	// In place of a file that a disk does not give.
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	var problems atomic.Int32
	first := spoolOf(t, dir, annals.SpoolOptions{OnProblem: func(error) { problems.Add(1) }})
	client := spooling(t, server.URL, first)
	if err := client.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	closed(t, client)
	if problems.Load() != 1 || len(server.received()) != 0 {
		t.Errorf("%d problems, %d requests", problems.Load(), len(server.received()))
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	write(t, file, `713f05e2a81dc56f {"action":"a1"}`+"\n")
	next := spooling(t, server.URL, spoolOf(t, dir, annals.SpoolOptions{}))
	if err := next.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	closed(t, next)
	if got := actionsIn(t, server.received()[:1]); len(got) != 1 || got[0] != "a1" {
		t.Error(got)
	}
}
