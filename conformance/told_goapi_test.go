package conformance

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/conformance/told"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Each rule of image instructions that a program on the Go API can break is told to Debug, once, with the rule and the place.
func TestTold_GoAPI(t *testing.T) {
	rules.Covers(t, "IMG-100", "IMG-101", "IMG-108", "IMG-109", "IMG-111", "IMG-112", "IMG-113", "IMG-115", "IMG-116", "IMG-117", "IMG-120", "IMG-121", "IMG-122", "IMG-123",
		"IMG-124", "IMG-125", "IMG-126", "IMG-127", "IMG-131", "IMG-135", "IMG-136", "IMG-137", "IMG-138", "IMG-139", "IMG-140", "IMG-141", "IMG-142", "IMG-143",
		"IMG-144", "IMG-145", "IMG-146", "IMG-147", "IMG-148", "IMG-149", "IMG-150", "IMG-151", "IMG-152", "IMG-153", "IMG-154", "IMG-155", "IMG-156", "IMG-157",
		"IMG-158", "IMG-168", "IMG-169", "IMG-170", "IMG-171", "IMG-172", "IMG-173", "IMG-174", "IMG-175", "IMG-177", "IMG-178", "IMG-179", "IMG-181", "IMG-185",
		"IMG-186", "IMG-187", "IMG-188", "IMG-189", "IMG-190")
	for _, c := range append([]told.Case{told.Plain()}, told.Cases()...) {
		t.Run(c.Rule+"/"+strings.ReplaceAll(c.What, " ", "_"), func(t *testing.T) {
			messages, err := c.RunGo()
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, m := range messages {
				texts = append(texts, m.Rule+" "+m.Text)
			}
			if err := c.Heard(texts, c.NoGo); err != nil {
				t.Error(err)
			}
		})
	}
}
