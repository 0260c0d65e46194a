// Command checkpoints says of each checkpoint why the SDK for Go does not accept it. Run by
// go-checkpoints.test.ts. It reads and writes lines of JSON.
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

type question struct{ Note, Trusted, Account string }

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var asked question
		err := in.Decode(&asked)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		if err := out.Encode(reasonOf(asked)); err != nil {
			log.Fatal(err)
		}
	}
}

func reasonOf(asked question) string {
	options := annals.CheckpointOptions{Account: asked.Account}
	_, err := annals.VerifyCheckpoint(asked.Note, asked.Trusted, options)
	var refused *annals.CheckpointError
	switch {
	case err == nil:
		return "accepted"
	case errors.As(err, &refused):
		return string(refused.Reason)
	default:
		return "unusable"
	}
}
