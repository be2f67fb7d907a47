package client_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"mintmark/client"
)

// programFile has every property of interface §5.4 and §5.6 once.
const programFile = "testdata/program.json"

func TestProgramHasAFieldForEveryProperty(t *testing.T) {
	text, err := os.ReadFile(programFile)
	if err != nil {
		t.Fatal(err)
	}
	var program client.Program
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&program)
	if err != nil {
		t.Fatalf("a property has no field: %v", err)
	}

	// Conversely, an empty field has no matching property.
	for _, filled := range []any{
		program, program.Bank, program.Accounts[0], program.ExternalAccounts[0],
		program.Products[0], program.Products[0].InterestRates[0], program.Bins[0],
		program.PerProgramDailyDepositLimit,
	} {
		value := reflect.ValueOf(filled)
		for i := range value.NumField() {
			if value.Field(i).IsZero() {
				t.Errorf("%s.%s is empty", value.Type(), value.Type().Field(i).Name)
			}
		}
	}
}

func TestProgramIsExact(t *testing.T) {
	text, err := os.ReadFile(programFile)
	if err != nil {
		t.Fatal(err)
	}
	_, c := succeeds(t, string(text))
	program, err := c.ProgramGet(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	zero := decimal.Zero
	great := decimal.RequireFromString("90071992547409.93")
	want := client.Limit{MinimumAmount: &zero, MaximumAmount: &great}
	if diff := cmp.Diff(want, program.PerProgramDailyDepositLimit); diff != "" {
		t.Error(diff)
	}
	if program.PerUserMonthlyWithdrawLimit.MaximumAmount != nil {
		t.Error("a bound that is absent is there")
	}
	if rate := program.Products[0].InterestRates[0].APR.String(); rate != "0.12345678901" {
		t.Errorf("the rate is %s", rate)
	}
	want2026 := time.Date(2026, 1, 15, 16, 20, 30, 456e6, time.UTC)
	if _, offset := program.FilledDate.Zone(); offset != -6*3600 ||
		!program.FilledDate.Equal(want2026) {
		t.Errorf("the settings were filled at %v", program.FilledDate)
	}
	if id := program.SavingsProducts["highYield"].ProductID; id != 51 {
		t.Errorf("the deprecated dictionary holds product %d, want 51", id)
	}
}

// TestZeroBoundIsWritten checks that a bound of zero and a missing bound stay distinct in JSON.
func TestZeroBoundIsWritten(t *testing.T) {
	zero := decimal.Zero
	text, err := json.Marshal(client.Limit{MinimumAmount: &zero})
	if err != nil {
		t.Fatal(err)
	}
	var again client.Limit
	err = json.Unmarshal(text, &again)
	if err != nil {
		t.Fatal(err)
	}
	if again.MinimumAmount == nil || again.MaximumAmount != nil {
		t.Errorf("read back from %s: %v", text, again)
	}
}
