package annalsslog_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	annals "github.com/OWNER/annals/packages/sdk-go"
	"github.com/OWNER/annals/packages/sdk-go/annalsslog"
	"github.com/OWNER/annals/packages/sdk-go/annalstest"
)

func TestOnlyMarkedLinesAreRecordedAndAllAreHandedOn(t *testing.T) {
	var recorder annalstest.Recorder
	var lines bytes.Buffer
	next := slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelWarn})
	logger := slog.New(annalsslog.NewHandler(&recorder, next)).With("service", "billing").WithGroup("http")
	ctx := annals.WithActor(context.Background(), annals.Actor{ID: "u_1"})

	logger.InfoContext(ctx, "started", "audit", "not an event")
	logger.InfoContext(ctx, "invoice.update", annalsslog.Audit(annals.NewEvent{Target: &annals.Target{ID: "secret"}}))
	logger.WarnContext(ctx, "a text", annalsslog.Audit(annals.NewEvent{Action: "own"}), "left", 1)

	if got := recorder.Actions(); !slices.Equal(got, []string{"invoice.update", "own"}) {
		t.Fatal(got)
	}
	first := recorder.Events()[0]
	if first.Actor.ID != "u_1" || first.Target.ID != "secret" || !strings.HasSuffix(first.OccurredAt, "Z") {
		t.Errorf("%+v", first)
	}
	text := lines.String()
	if strings.Contains(text, "invoice") || !strings.Contains(text, `msg="a text" service=billing http.left=1`) {
		t.Error(text)
	}
	if strings.Contains(text, "audit") {
		t.Error("the event is in the log")
	}
}

func TestAHandlerNeedsNoOther(t *testing.T) {
	var recorder annalstest.Recorder
	slog.New(annalsslog.NewHandler(&recorder, nil)).Info("a", annalsslog.Audit(annals.NewEvent{}))
	if got := recorder.Actions(); !slices.Equal(got, []string{"a"}) {
		t.Error(got)
	}
}
