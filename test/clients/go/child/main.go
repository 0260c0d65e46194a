// Command child is client-child.ts in Go: a client with a spool that tracks events until it is killed, or its
// input ends. It prints the number of events that were accepted.
//
//	child BASE_URL KEY FOLDER RUN
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

const printEach = 20

func main() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if err := track(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func track(baseURL, key, folder, number string) error {
	round, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	spool, err := annals.NewSpool(folder, annals.SpoolOptions{MaxBytes: 4_000_000})
	if err != nil {
		return err
	}
	client, err := annals.New(annals.Options{BaseURL: baseURL, APIKey: key, Tracking: annals.TrackingOptions{
		Spool: spool, BatchEvents: 100, MaxWait: 20 * time.Millisecond, OnStall: func(annals.Stall) {},
	}})
	if err != nil {
		return err
	}
	ctx := context.Background()
	for count := 1; ; count++ {
		if err := client.Ready(ctx); err != nil {
			return err
		}
		metadata := map[string]any{"run": round, "number": count}
		if !client.Track(ctx, annals.NewEvent{Action: "tracked", Metadata: metadata}) {
			return nil
		}
		if count%printEach == 0 {
			fmt.Println(count)
		}
	}
}
