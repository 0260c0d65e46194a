// Command losses is node-clients.ts in Go: a client that tracks events at a server that fails.
//
//	losses annals BASE_URL COUNT END [SPOOL]
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

const flush = 2 * time.Minute

func main() {
	told, err := track(os.Args[2], os.Args[3], os.Args[4], os.Args[5:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("{\"told\":%d}\n", told)
}

func track(baseURL, number, end string, spools []string) (int64, error) {
	count, err := strconv.Atoi(number)
	if err != nil {
		return 0, err
	}
	var told atomic.Int64
	tracking := annals.TrackingOptions{
		OnDrop:  func(drop annals.Drop) { told.Add(int64(len(drop.Events))) },
		OnStall: func(annals.Stall) {},
	}
	isLeft := false
	if len(spools) > 0 {
		_, missing := os.Stat(spools[0])
		isLeft = missing == nil
		if tracking.Spool, err = annals.NewSpool(spools[0], annals.SpoolOptions{}); err != nil {
			return 0, err
		}
	}
	client, err := annals.New(annals.Options{BaseURL: baseURL, APIKey: "k", Tracking: tracking})
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), flush)
	defer cancel()
	for marker := 1; marker <= count && !isLeft; marker++ {
		client.Track(ctx, annals.NewEvent{Action: "a", Metadata: map[string]any{"marker": marker}})
	}
	fmt.Println("tracked")
	if end == "flush" {
		// What is not sent in time is told to OnDrop.
		_ = client.Close(ctx)
	}
	return told.Load(), nil
}
