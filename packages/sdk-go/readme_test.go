package annals_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var block = regexp.MustCompile("(?s)(?:<!-- test: (\\w+) -->\n)?```go\n(.*?)```")

// programs are those of the README, built: their files, by the kind that a comment before them says.
func programs(t *testing.T) map[string][]string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on the PATH")
	}
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const module = "github.com/OWNER/annals/packages/sdk-go"
	write(t, filepath.Join(dir, "go.mod"), fmt.Sprintf(
		"module readme.test\n\ngo 1.24\n\nrequire %s v0.0.0\n\nreplace %s => %s\n", module, module, here))
	files := map[string][]string{}
	for index, found := range block.FindAllStringSubmatch(string(text), -1) {
		// It has a driver of PostgreSQL: test/clients/go-outbox.test.ts builds and runs it.
		if found[1] == "outbox" {
			continue
		}
		name := fmt.Sprintf("block%d", index)
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name, "main.go"), found[2])
		files[found[1]] = append(files[found[1]], filepath.Join(dir, "bin", name))
	}
	for _, words := range [][]string{{"vet", "./..."}, {"build", "-o", filepath.Join(dir, "bin") + "/", "./..."}} {
		command := exec.Command("go", words...)
		command.Dir = dir
		command.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", words, err, output)
		}
	}
	if output, err := exec.Command("gofmt", "-l", dir).Output(); err == nil && len(output) > 0 {
		t.Errorf("gofmt changes %s", output)
	}
	return files
}

// answer is what the service says to the programs.
func answer(w http.ResponseWriter, r *http.Request, _ int) {
	body := any(map[string]any{"data": []any{}, "has_more": false, "next_cursor": nil})
	switch {
	case strings.HasPrefix(r.URL.Path, "/v1/verify"):
		body = map[string]any{"data": map[string]any{"valid": true}}
	case r.URL.Path == "/v1/usage":
		body = map[string]any{"data": map[string]any{"account_id": "acct_a"}}
	case strings.HasPrefix(r.URL.Path, "/v1/events/evt"):
		fail(w, http.StatusNotFound, "not_found")
		return
	case r.URL.Path == "/v1/events" && r.Method == http.MethodPost:
		w.WriteHeader(http.StatusCreated)
		body = map[string]any{"data": map[string]any{"sequence_number": 1, "hash": "h"}}
	case r.Method == http.MethodPost:
		w.WriteHeader(http.StatusCreated)
	}
	_ = json.NewEncoder(w).Encode(body)
}

func TestEveryProgramOfTheReadmeRuns(t *testing.T) {
	all := programs(t)
	server := serve(t, answer)
	for _, program := range all[""] {
		command := exec.Command(program)
		command.Env = append(os.Environ(), "ANNALS_URL="+server.URL, "ANNALS_KEY=k", "SPOOL_DIR="+t.TempDir())
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", program, err, output)
		}
	}
	for _, one := range server.received() {
		if one.header.Get("Authorization") != "Bearer k" {
			t.Errorf("%+v", one)
		}
	}
	receives(t, all["webhook"][0])
}

// receives: what is signed is accepted, and nothing else.
func receives(t *testing.T, program string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	listener.Close()
	command := exec.Command(program)
	command.Env = append(os.Environ(), "PORT="+port, "WEBHOOK_SECRET="+secret)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}()
	for body, status := range map[string]int{delivery: http.StatusNoContent, "{}": http.StatusBadRequest} {
		if got := post(t, "http://127.0.0.1:"+port, body); got != status {
			t.Errorf("%s: %d", body, got)
		}
	}
}

// post repeats until the receiver listens.
func post(t *testing.T, url, body string) int {
	t.Helper()
	for {
		request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = signedNow(delivery)
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			response.Body.Close()
			return response.StatusCode
		}
	}
}
