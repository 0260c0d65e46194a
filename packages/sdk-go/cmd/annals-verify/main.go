// Command annals-verify verifies an export of Annals with proofs, with the standard library of Go alone.
//
//	annals-verify [--producers] FILE [PREVIOUS_HASH]
//
// FILE has one {"event": …, "proof": …} a line; - is the standard input. PREVIOUS_HASH is the known hash
// before the first event, for a file that does not begin at 1. --producers lists the numbers of producers
// (context.producer) that are missing. It exits with 1 for a file that is invalid or lacks a number of a
// producer, and with 2 for one that cannot be read.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, in io.Reader, out, failed io.Writer) int {
	flags := flag.NewFlagSet("annals-verify", flag.ContinueOnError)
	flags.SetOutput(failed)
	flags.Usage = func() { fmt.Fprintln(failed, "usage: annals-verify [--producers] FILE [PREVIOUS_HASH]") }
	hasProducers := flags.Bool("producers", false, "")
	if flags.Parse(args) != nil {
		return 2
	}
	if args = flags.Args(); len(args) < 1 || len(args) > 2 || !hash.MatchString(previousIn(args)) {
		flags.Usage()
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
	check, err := annals.VerifyLines(in, previousIn(args))
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
	if *hasProducers {
		return tellProducers(check, out)
	}
	return 0
}

// hash is empty for a file that begins at 1.
var hash = regexp.MustCompile(`^([0-9a-f]{64})?$`)

func previousIn(args []string) string {
	if len(args) < 2 {
		return ""
	}
	return args[1]
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
