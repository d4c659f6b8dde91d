package explain

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Programs read explanations by these names.
func TestExplanation_NamesInJSON(t *testing.T) {
	e := Explanation{Target: Target{Image: "picture", X: 3}, Events: []Event{{Kind: Draw, Outcome: Wrote, Steps: []Step{NewStep("RAS-325", "0.4 LESS 0.5")}}}}
	data, err := json.Marshal(&e)
	if err != nil {
		t.Fatal(err)
	}
	var back Explanation
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(e, back); d != "" {
		t.Error(d)
	}
	if back.Events[0].Steps[0].Title == "" {
		t.Error("a step does not tell the title of its rule")
	}
}
