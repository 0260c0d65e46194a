package outbox_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
)

const sdk = "../../../packages/sdk-go"

var program = regexp.MustCompile("(?s)<!-- test: outbox -->\n```go\n(.*?)```")

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// built is the program of the README with the driver of PostgreSQL.
func built(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	path, err := filepath.Abs(sdk)
	if err != nil {
		t.Fatal(err)
	}
	module := regexp.MustCompile(`=> \S+`).ReplaceAll(read(t, "go.mod"), []byte("=> "+path))
	write(t, filepath.Join(dir, "go.mod"), module)
	write(t, filepath.Join(dir, "go.sum"), read(t, "go.sum"))
	found := program.FindSubmatch(read(t, filepath.Join(sdk, "README.md")))
	write(t, filepath.Join(dir, "main.go"), found[1])
	build := exec.Command("go", "build", "-o", "program", ".")
	build.Dir = dir
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return filepath.Join(dir, "program")
}

func TestTheProgramOfTheReadmeSendsWhatItCommits(t *testing.T) {
	arrived := make(chan []string, 1)
	server := serve(t, func(w http.ResponseWriter, r *http.Request, actions []string, n int) {
		stores(w, r, actions, n)
		arrived <- actions
	})
	execute(t, "CREATE SCHEMA readme")
	database, err := url.Parse(os.Getenv("DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	query := database.Query()
	query.Set("search_path", "readme")
	database.RawQuery = query.Encode()
	command := exec.Command(built(t))
	command.Env = append(os.Environ(), "ANNALS_URL="+server.URL, "ANNALS_KEY=k", "DATABASE_URL="+database.String())
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	equal(t, <-arrived, []string{"invoice.update"})
	for count := 1; count > 0; {
		if err := db.QueryRow("SELECT count(*) FROM readme.annals_outbox").Scan(&count); err != nil {
			t.Fatal(err)
		}
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Error(fmt.Sprint("it did not end well: ", err))
	}
}
