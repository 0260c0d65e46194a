package annalstest_test

import (
	"context"
	"math"
	"slices"
	"testing"

	annals "github.com/OWNER/annals/packages/sdk-go"
	"github.com/OWNER/annals/packages/sdk-go/annalstest"
)

func TestARecorderTakesWhatAClientTakes(t *testing.T) {
	var recorder annalstest.Recorder
	ctx := annals.WithActor(context.Background(), annals.Actor{ID: "u_1"})
	if !recorder.Track(ctx, annals.NewEvent{Action: "a"}) {
		t.Error("it is dropped")
	}
	if recorder.Track(ctx, annals.NewEvent{Action: "b", Metadata: map[string]any{"n": math.NaN()}}) {
		t.Error("NaN is no JSON")
	}
	if got := recorder.Actions(); !slices.Equal(got, []string{"a"}) || recorder.Events()[0].Actor.ID != "u_1" {
		t.Errorf("%+v", recorder.Events())
	}
	recorder.Reset()
	if got := recorder.Events(); len(got) != 0 {
		t.Error(got)
	}
}
