package overview

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/compromise"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/charts"
	"mintmark/internal/store"
)

// Attention is a matter that operators must look at.
type Attention struct {
	Kind      AttentionKind
	ID        string // of the program, webhook, list, report, key, job or approval, or the reason
	Name      string // the same; of an approval, the requester
	ProgramID int    // 0 for a matter of no program, and for orders of all programs
	Since     time.Time
	Until     time.Time // when a key ends or an approval lapses
	Count     int       // orders, declines, cards, differences, or undelivered events of a webhook
	// Detail is the last response, the error of a job, or the act of an approval or a list; of
	// locks, the state of the orders to look at.
	Detail string
}

// AttentionKind is the kind of an Attention.
type AttentionKind string

// Kinds of Attention, the most urgent first.
const (
	OpenLocks       AttentionKind = "openLocks" // locked cards that may be open at the processor
	NoProcessor     AttentionKind = "processor" // orders wait, but the settings name no processor
	FencedProgram   AttentionKind = "program"   // fenced: its callers get fault.Unavailable
	FailingWebhook  AttentionKind = "webhook"
	FailedOrders    AttentionKind = "failedOrders"
	UnreachedOrders AttentionKind = "unreachedOrders" // the processor was unreachable last time
	PausedList      AttentionKind = "compromise"      // a paused list of compromised numbers
	DifferingList   AttentionKind = "reconciliation"  // the newest of its kind has differences
	Declines        AttentionKind = "declines"        // many for one reason in the last two hours
	FailingJob      AttentionKind = "job"
	OldBackup       AttentionKind = "backup" // no recent one by mintmark backup
	WaitingApproval AttentionKind = "approval"
	EndingKey       AttentionKind = "key" // ends within 30 days
)

var attentionKinds = []AttentionKind{
	OpenLocks, NoProcessor, FencedProgram, FailingWebhook, FailedOrders, UnreachedOrders, PausedList,
	DifferingList, Declines, FailingJob, OldBackup, WaitingApproval, EndingKey,
}

func (o *Overview) add(a Attention) { o.Attention = append(o.Attention, a) }

// sortAttention sorts the more urgent first, then the older.
func (o *Overview) sortAttention() {
	slices.SortStableFunc(o.Attention, func(a, b Attention) int {
		return cmp.Or(
			slices.Index(attentionKinds, a.Kind)-slices.Index(attentionKinds, b.Kind),
			a.Since.Compare(b.Since), a.Until.Compare(b.Until), cmp.Compare(a.ID, b.ID))
	})
}

// addOrderAttention checks the counts of orders. A failed lock or hotlist of a locked card counts
// only with the card.
func (o *Overview) addOrderAttention(programID int, processor bool) {
	if o.Locks.Cards > 0 {
		open := Attention{
			Kind: OpenLocks, ProgramID: programID, Since: o.Locks.Oldest, Count: o.Locks.Cards,
			Detail: string(order.Sent),
		}
		if o.Locks.Failed > 0 {
			open.Detail = string(order.Failed)
		}
		o.add(open)
	}
	for _, of := range o.Orders {
		switch {
		case of.State == order.Failed && of.Count > o.Locks.Failed:
			failed := Attention{
				Kind: FailedOrders, ProgramID: programID, Since: of.Oldest,
				Count: of.Count - o.Locks.Failed,
			}
			if o.Locks.Failed > 0 && !of.OldestOther.IsZero() {
				failed.Since = of.OldestOther
			}
			o.add(failed)
		case of.State == order.Waiting && !processor:
			o.add(Attention{
				Kind: NoProcessor, ProgramID: programID, Since: of.Oldest, Count: of.Count,
			})
		case of.Unreachable > 0:
			o.add(Attention{
				Kind: UnreachedOrders, ProgramID: programID, Since: of.Oldest,
				Count: of.Unreachable,
			})
		}
	}
}

// addFences adds the fenced programs, whose callers wait for the end of a move.
func (o *Overview) addFences(r store.Tx, programs []int) error {
	fenced, err := r.Programs().ListFenced()
	for _, id := range fenced {
		if programs != nil && !slices.Contains(programs, id) {
			continue
		}
		p, err := r.Programs().Find(id)
		if err != nil {
			return err
		}
		o.add(Attention{
			Kind: FencedProgram, ID: strconv.Itoa(id), Name: p.Settings.Name, ProgramID: id,
			Since: p.Fenced,
		})
	}
	return err
}

// addPausedLists adds the paused lists of compromised numbers, whose cards stay unchanged.
func (o *Overview) addPausedLists(r store.Tx, programs []int) error {
	lists, err := r.Compromises().ListOpen()
	for _, l := range lists {
		if l.State != compromise.Paused || programs != nil && !slices.Contains(programs, l.ProgramID) {
			continue
		}
		o.add(Attention{
			Kind: PausedList, ID: strconv.Itoa(l.ID), Name: l.Name, ProgramID: l.ProgramID,
			Since: l.Changed, Count: l.Cards - l.Next(), Detail: string(l.Act),
		})
	}
	return err
}

// addDifferences adds the newest reconciliations whose lists differ from the stored data.
func (o *Overview) addDifferences(r store.Tx, programs []int) error {
	reports, err := newestReports(r)
	for _, report := range reports {
		if report.Different == 0 || programs != nil && !slices.Contains(programs, report.ProgramID) {
			continue
		}
		o.add(Attention{
			Kind: DifferingList, ID: strconv.Itoa(report.ID), Name: string(report.Kind),
			ProgramID: report.ProgramID, Since: report.Made, Count: report.Different,
		})
	}
	return err
}

// Declines for one reason need attention if there are manyDeclines of them in two hours, and if
// they are at least one in declinesShare authorizations.
const (
	manyDeclines  = 20
	declinesShare = 10
)

// addDeclineAttention checks the declined authorizations, except for the reasons that only the
// holder can remedy: the account has too little money, or the processor had reversed the
// authorization. Since is the first decline in the unbroken series of hours with declines.
func (o *Overview) addDeclineAttention(r store.Tx, programs []int, programID int) error {
	const hours = 24
	chart, _ := charts.Find("authorizations")
	picture, err := charts.Draw(r, charts.Query{Chart: chart, Hours: hours}, programs)
	if err != nil {
		return err
	}
	all := 0
	for _, counts := range picture.Counts {
		all += counts[hours-2] + counts[hours-1]
	}
	for i, counts := range picture.Counts {
		reason, first := chart.Series[i], hours-1
		switch authorization.Reason(reason) {
		case authorization.Approved, authorization.InsufficientFunds, authorization.Reversed:
			continue
		}
		count := counts[hours-2] + counts[hours-1]
		if count < manyDeclines || count*declinesShare < all {
			continue
		}
		if counts[first] == 0 {
			first--
		}
		for first > 0 && counts[first-1] > 0 {
			first--
		}
		hour := picture.From.Add(time.Duration(first) * time.Hour)
		since, err := r.Authorizations().FindFirstDeclined(
			programs, authorization.Reason(reason), hour)
		if err != nil {
			return err
		}
		if since.IsZero() {
			since = hour // the authorizations have been deleted since
		}
		o.add(Attention{
			Kind: Declines, ID: reason, Name: reason, ProgramID: programID, Count: count, Since: since,
		})
	}
	return nil
}

// addJobAttention adds the failing jobs. The error of a job may name data of any bank, so only an
// operator of all banks may read it.
func (o *Overview) addJobAttention(allBanks bool) {
	for i := range o.FailingJobs {
		job := &o.FailingJobs[i]
		if !allBanks {
			job.Error = ""
		}
		o.add(Attention{
			Kind: FailingJob, ID: job.Name, Name: job.Name, Since: job.Failed, Detail: job.Error,
		})
	}
}

// maxBackupAge is the limit of the alert MintmarkBackupOld.
const maxBackupAge = 48 * time.Hour

// addBackupAttention checks the age of the newest backup. It is a matter of the installation, so
// only an operator of all banks is informed.
func (s *Service) addBackupAttention(r store.Tx, allBanks bool, o *Overview) error {
	if s.LastBackup == nil || !allBanks {
		return nil
	}
	at, err := s.LastBackup(r)
	if err == nil && !at.IsZero() && o.At.Sub(at) > maxBackupAge {
		o.add(Attention{Kind: OldBackup, Since: at})
	}
	return err
}

// addApprovalAttention adds the approvals of a program, or of all for 0, that wait for the
// operator's decision. It leaves out the operator's own requests, which wait for another operator.
func (o *Overview) addApprovalAttention(waiting []issuing.Approval, programID int) {
	for _, a := range waiting {
		if programID != 0 && a.ProgramID != 0 && a.ProgramID != programID {
			continue
		}
		o.Approvals++
		if a.Mine {
			continue
		}
		o.add(Attention{
			Kind: WaitingApproval, ID: strconv.Itoa(a.ID), Name: a.AskedBy.Name,
			ProgramID: a.ProgramID, Since: a.Asked, Until: a.Lapses,
			Detail: strings.TrimSpace(a.Act + " " + a.Subject),
		})
	}
}
