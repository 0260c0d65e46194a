// Command annals-verify verifies an export of Annals with proofs, with the standard library of Go alone.
//
//	annals-verify FILE [PREVIOUS_HASH]
//
// FILE has one {"event": …, "proof": …} a line; - is the standard input. PREVIOUS_HASH is the known hash
// before the first event, for a file that does not begin at 1. It exits with 1 for a file that is invalid,
// and with 2 for one that cannot be read.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, in io.Reader, out, failed io.Writer) int {
	if len(args) < 1 || len(args) > 2 {
		fmt.Fprintln(failed, "usage: annals-verify FILE [PREVIOUS_HASH]")
		return 2
	}
	if args[0] != "-" {
		file, err := os.Open(args[0])
		if err != nil {
			fmt.Fprintln(failed, err)
			return 2
		}
		defer file.Close()
		in = file
	}
	previous := ""
	if len(args) == 2 {
		previous = args[1]
	}
	check, err := annals.VerifyLines(in, previous)
	var unread *fs.PathError
	switch {
	case errors.As(err, &unread):
		fmt.Fprintln(failed, err)
		return 2
	case err != nil:
		fmt.Fprintln(failed, "invalid:", err)
		return 1
	}
	fmt.Fprintln(out, text(check))
	return 0
}

func text(check *annals.LinesCheck) string {
	text := fmt.Sprintf("valid: %d events", check.Events)
	if check.ErasedParts > 0 {
		text += fmt.Sprintf(", %d erased parts", check.ErasedParts)
	}
	if check.RecordedElsewhere > 0 {
		text += fmt.Sprintf(", of which %d have their record elsewhere", check.RecordedElsewhere)
	}
	return text
}
