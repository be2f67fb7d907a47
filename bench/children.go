package main

import (
	"os/exec"
	"runtime"
	"sync"
)

// spawner runs functions on one thread of the system, which lives as long as the bench. The kernel
// tells a process of the end of its parent when the thread ends that has started it, and Go ends
// threads when it has too many.
var spawner = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for do := range work {
			do()
		}
	}()
	return work
})

// spawned are the processes that were started.
var spawned struct {
	sync.Mutex
	all []*exec.Cmd
}

// spawn starts a process that ends with the bench, however the bench ends.
func spawn(process *exec.Cmd) error {
	dieWithParent(process)
	started := make(chan error)
	spawner() <- func() { started <- process.Start() }
	err := <-started
	spawned.Lock()
	defer spawned.Unlock()
	if err == nil {
		spawned.all = append(spawned.all, process)
	}
	return err
}

// killSpawned ends what is left of the processes. Those that have ended are not harmed.
func killSpawned() {
	spawned.Lock()
	defer spawned.Unlock()
	for _, process := range spawned.all {
		_ = process.Process.Kill()
	}
}
