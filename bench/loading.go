package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// loading loads many customers, twice, while callers write.
func (b *bench) loading(e engine) error {
	return b.takeIn(e, "load", func(directory string, _ int) (string, error) {
		file := filepath.Join(directory, "customers.yaml")
		return file, writeCustomers(file, b.customers)
	})
}

// feeding feeds the same customers, twice, while callers write.
func (b *bench) feeding(e engine) error {
	return b.takeIn(e, "feed", func(directory string, sequence int) (string, error) {
		file := filepath.Join(directory, "customers.ndjson")
		return file, writeRows(file, sequence, b.customers)
	})
}

// takeIn has a command take in a file that is written for it, twice, while callers write.
func (b *bench) takeIn(
	e engine, command string, write func(directory string, number int) (file string, err error),
) (err error) {
	const cards = 1000
	directory, err := b.data(e, cards, command)
	if err != nil {
		return err
	}
	config := filepath.Join(directory, command+"ing.yaml")
	text := "data: " + directory + "\n" + publicURL + e.settings(directory)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return err
	}
	serving, err := startServer(b.program, directory, e.settings(directory))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, serving.stop()) }()

	quiet, err := callersDuring(serving.address, cards, func() error {
		time.Sleep(5 * b.lasting)
		return nil
	})
	if err != nil {
		return err
	}
	b.report.note("longest write, without a "+command, quiet.String(), "to know", true)
	var took [2]time.Duration
	for i, name := range []string{"fresh", "again"} {
		file, err := write(directory, i+1)
		if err != nil {
			return err
		}
		var resident int64
		seen, err := callersDuring(serving.address, cards, func() error {
			began := time.Now()
			most, err := watched(exec.Command(b.program, command, "--config", config, file))
			took[i], resident = time.Since(began), most
			if err != nil {
				return fmt.Errorf("%s: %w", command, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
		b.noteIntake(command, name, took[i], resident, seen, quiet)
	}
	ratio := took[1].Seconds() / took[0].Seconds()
	b.report.note(command+", again / fresh", fmt.Sprintf("%.2f", ratio), "at most 1.5",
		ratio <= 1.5)
	return nil
}

// watched runs a command and returns the most memory that it held, in bytes. What the system tells
// at its end would be the memory of this process, if that is larger.
func watched(command *exec.Cmd) (most int64, err error) {
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				err = fmt.Errorf("%w\n%s", err, &out)
			}
			return most, err
		case <-time.After(50 * time.Millisecond):
			if held, err := memoryOf(command, "VmHWM:"); err == nil {
				most = held
			}
		}
	}
}

// intakeBytes are how much memory a command may take, in bytes.
var intakeBytes = map[string]float64{"load": 3e9, "feed": 300 << 20}

// noteIntake notes a load or a feed. On a machine that has callers wait for longer without it, its
// share shows in how many do.
func (b *bench) noteIntake(
	command, name string, took time.Duration, resident int64, seen, quiet waits,
) {
	const longest = 100 * time.Millisecond
	most := intakeBytes[command]
	customers := thousands(float64(b.customers))
	b.report.note(command+" of "+customers+" customers, "+name,
		took.Round(time.Millisecond).String(), "to know", true)
	b.report.note("memory of the "+command+", "+name, fmt.Sprintf("%.0f MB", float64(resident)/1e6),
		fmt.Sprintf("below %.0f MB", most/1e6), float64(resident) < most)
	b.report.note("longest write beside the "+command+", "+name, seen.String(),
		"at most 100 ms, or as long as without it", seen.longest <= max(longest, quiet.longest))
	b.report.note("writes refused beside the "+command+", "+name, fmt.Sprint(seen.refused), "none",
		seen.refused == 0)
}

// writeRows writes the customers of writeCustomers as rows of a core banking system.
func writeRows(file string, sequence, count int) error {
	var text strings.Builder
	fmt.Fprintf(&text, "{\"source\":\"core\",\"programId\":1,\"sequence\":%d}\n", sequence)
	for i := range count {
		customer, account := 20_000_000+i, 30_000_000+i
		fmt.Fprintf(&text, `{"kind":"customer","op":"put","customerId":%d,"status":"Verified",`+
			`"access":"FULL","birthDate":"1985-03-14","firstName":"Jane",`+
			`"lastName":"Sample %d","mobilePhone":"+1 555 0100","mailing":{`+
			`"line1":"1 Main Street","city":"Springfield","region":"IL","postalCode":"62701",`+
			`"country":"US"}}`+"\n", customer, i)
		fmt.Fprintf(&text, `{"kind":"account","op":"put","accountId":%d,"customerId":%d,`+
			`"type":"Checking","status":"Open","name":"Everyday","accountNumber":"%012d",`+
			`"accountBalance":%d.25}`+"\n", account, customer, i, i)
		fmt.Fprintf(&text, `{"kind":"access","op":"put","customerId":%d,"accountId":%d,`+
			`"access":"FULL"}`+"\n", customer, account)
	}
	return os.WriteFile(file, []byte(text.String()), 0o600)
}

// writeCustomers writes a file of so many customers, each with an account and the access to it.
func writeCustomers(file string, count int) error {
	var text strings.Builder
	text.WriteString("customers:\n")
	for i := range count {
		fmt.Fprintf(&text, "  - customerId: %d\n    programId: 1\n    status: Verified\n"+
			"    access: FULL\n    birthDate: 1985-03-14\n    firstName: Jane\n"+
			"    lastName: Sample %d\n    mobilePhone: +1 555 0100\n"+
			"    mailing: {line1: 1 Main Street, city: Springfield, region: IL, "+
			"postalCode: \"62701\", country: US}\n", 20_000_000+i, i)
	}
	text.WriteString("accounts:\n")
	for i := range count {
		fmt.Fprintf(&text, "  - accountId: %d\n    programId: 1\n    customerId: %d\n"+
			"    type: Checking\n    status: Open\n    name: Everyday\n"+
			"    accountNumber: \"%012d\"\n    accountBalance: %d.25\n", 30_000_000+i,
			20_000_000+i, i, i)
	}
	text.WriteString("access:\n")
	for i := range count {
		fmt.Fprintf(&text, "  - {programId: 1, customerId: %d, accountId: %d, access: FULL}\n",
			20_000_000+i, 30_000_000+i)
	}
	return os.WriteFile(file, []byte(text.String()), 0o600)
}

// waits are what callers have seen.
type waits struct {
	longest, p99 time.Duration
	late         int // that took longer than a tenth of a second
	count        int
	refused      int
}

func (w waits) String() string {
	return fmt.Sprintf("%v (%d of %d over 100 ms, p99 %v)", w.longest.Round(time.Millisecond),
		w.late, w.count, w.p99.Round(time.Millisecond))
}

// callersDuring has four callers lock and unlock cards, with a short thought after each, until
// something is done.
func callersDuring(address string, cards int, something func() error) (waits, error) {
	const callers = 4
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	all := make([]load, callers)
	var calling sync.WaitGroup
	for i := range all {
		calling.Go(func() { all[i].err = all[i].think(ctx, locking(address, cards), i) })
	}
	err := something()
	stop()
	calling.Wait()
	var seen waits
	var taken []time.Duration
	for _, one := range all {
		err = errors.Join(err, one.err)
		taken = append(taken, one.taken...)
		seen.refused += one.refused
	}
	if err != nil || len(taken) == 0 {
		return seen, errors.Join(err, errors.New("callers have not come to an end"))
	}
	slices.Sort(taken)
	seen.count, seen.longest = len(taken), taken[len(taken)-1]
	seen.p99 = taken[len(taken)*99/100]
	for _, one := range taken {
		if one > 100*time.Millisecond {
			seen.late++
		}
	}
	return seen, nil
}

// think sends requests one after the other, and waits a little between them.
func (l *load) think(ctx context.Context, w work, connection int) error {
	const thought = 5 * time.Millisecond
	conn, err := net.Dial("tcp", w.address)
	if err != nil {
		return err
	}
	defer conn.Close()
	reader := bufio.NewReaderSize(conn, 16<<10)
	for turn := 0; turn%2 == 1 || ctx.Err() == nil; turn++ {
		if err := l.exchange(conn, reader, w.request(nil, connection, turn)); err != nil {
			return err
		}
		time.Sleep(thought)
	}
	return nil
}

// loadDemo makes an installation and loads the demo data for a server in production, which does not
// take PINs in plain, and takes secrets that can be guessed because the settings say so.
func loadDemo(program, directory, settings string) error {
	demo, err := os.ReadFile(demoFile)
	if err != nil {
		return err
	}
	beside := os.DirFS(filepath.Join(filepath.Dir(demoFile), "documents"))
	documents := filepath.Join(directory, "documents")
	if err := os.CopyFS(documents, beside); err != nil {
		return err
	}
	defer os.RemoveAll(documents)
	file, config := filepath.Join(directory, "demo.yaml"), filepath.Join(directory, "load.yaml")
	text := strings.ReplaceAll(string(demo), ",NONE", "")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	text = "data: " + directory + "\ninsecure: true\n" + publicURL + settings
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return err
	}
	for _, args := range [][]string{{"init"}, {"load", file}} {
		command := exec.Command(program, append(args, "--config", config)...)
		if out, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("%s the demo data: %w\n%s", args[0], err, out)
		}
	}
	return nil
}
