package pgtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"mintmark/internal/base/platform"
)

// keeper creates a cluster, runs its server with the settings that follow the two directories, and
// deletes the cluster when its input ends, which happens however the process that started it ends.
// For each line of its input it crashes the server and restarts it immediately, as pg_ctl restart
// -m immediate does.
const keeper = `
set -eu
home=$1; bin=$2
shift 2
cd /
mkdir -p "$home/data"
"$bin/initdb" -D "$home/data" -U mintmark -A trust -E UTF8 --locale=C --no-sync >"$home/log" 2>&1 \
	|| { cat "$home/log"; exit 1; }
launch() {
	"$bin/postgres" -D "$home/data" -k "$home" -c listen_addresses= -c max_connections=400 \
		-c max_prepared_transactions=0 "$@" >>"$home/log" 2>&1 &
	server=$!
	echo started
}
launch "$@"
while read -r _; do
	kill -QUIT $server
	wait $server || true
	launch "$@"
done
kill -INT $server
wait $server || true
rm -rf "$home"
`

// lifelines keeps the inputs of the keepers open as long as this process lives.
var lifelines sync.Map

// careless holds the settings for tests that need no durability across a crash of the machine.
var careless = []string{
	unsynced, "full_page_writes=off", "shared_buffers=64MB", "max_wal_size=128MB",
}

// unsynced is the setting of servers that never sync to disk.
const unsynced = "fsync=off"

// directoryFor returns the directory for the data of a server with some settings. An unsynced
// server loses nothing in memory, where creating and dropping a database takes a third of the
// processor time.
func directoryFor(settings []string) string {
	const memory, enough = "/dev/shm", 4 << 30 // bytes
	if !slices.Contains(settings, unsynced) {
		return os.TempDir()
	}
	if free, err := platform.FreeBytes(memory); err != nil || free < enough {
		return os.TempDir()
	}
	return memory
}

// Start starts a server on a socket in a directory of its own, and returns its connection string.
// The server lives as long as this process. Settings have the form name=value; by default, commits
// are durable.
func Start(settings ...string) (string, error) {
	server, err := start(settings)
	if err != nil {
		return "", err
	}
	return server.URL, nil
}

// Share starts a server for many test processes and returns its connection string. The server ends
// with this process.
func Share() (string, error) {
	return Start(append(careless[:len(careless):len(careless)], "max_connections=1000")...)
}

// Server is a server that can be made to crash.
type Server struct {
	URL string // its connection string

	lifeline io.Writer
	said     *bufio.Reader
}

func start(settings []string) (*Server, error) {
	programs, err := Programs()
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp(directoryFor(settings), "pgtest")
	if err != nil {
		return nil, err
	}
	command := exec.Command("sh", "-c", keeper, "keeper", home, programs)
	for _, setting := range settings {
		command.Args = append(command.Args, "-c", setting)
	}
	if err := AsOwner(command, home); err != nil {
		return nil, err
	}
	lifeline, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	lifelines.Store(home, lifeline)
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	s := &Server{
		URL: "postgres://mintmark@/postgres?host=" + home, lifeline: lifeline,
		said: bufio.NewReader(out),
	}
	if err := s.awaitStart(); err != nil {
		return nil, err
	}
	return s, awaitServer(s.URL)
}

// awaitStart waits until the keeper reports that the server has started.
func (s *Server) awaitStart() error {
	line, _ := s.said.ReadString('\n')
	if line == "started\n" {
		return nil
	}
	rest, _ := io.ReadAll(s.said)
	return fmt.Errorf("the server does not start: %s%s", line, rest)
}

// awaitServer waits until a server accepts connections.
func awaitServer(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, url)
		if err == nil {
			return conn.Close(ctx)
		}
		if ctx.Err() != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond) //nolint:forbidigo // A server does not say when it accepts.
	}
}

// AsOwner makes a command run as the user that Debian's packages create for the server, and makes
// that user the owner of a directory. PostgreSQL refuses to run as root; under any other user
// AsOwner does nothing.
func AsOwner(command *exec.Cmd, home string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	owner, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, err := strconv.ParseUint(owner.Uid, 10, 32)
	if err != nil {
		return err
	}
	gid, err := strconv.ParseUint(owner.Gid, 10, 32)
	if err != nil {
		return err
	}
	become(command, uint32(uid), uint32(gid))
	return os.Chown(home, int(uid), int(gid))
}

// Programs returns the directory of the newest installed initdb.
func Programs() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		// The directory of a symbolic link may lack the other programs.
		path, err = filepath.EvalSymlinks(path)
		return filepath.Dir(path), err
	}
	const packaged = "/usr/lib/postgresql/"
	paths, err := filepath.Glob(packaged + "*/bin/initdb")
	newest := 0
	for _, path := range paths {
		version, _, _ := strings.Cut(strings.TrimPrefix(path, packaged), "/")
		if number, err := strconv.Atoi(version); err == nil {
			newest = max(newest, number)
		}
	}
	if newest == 0 {
		return "", errors.Join(errors.New("no PostgreSQL is installed"), err)
	}
	return packaged + strconv.Itoa(newest) + "/bin", nil
}
