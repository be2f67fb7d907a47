package main

import (
	"os/exec"
	"runtime"
	"sync"
)

// spawner runs functions on one OS thread, which lives as long as the bench. The kernel signals the
// death of a parent to a process when the thread that started it ends, and Go ends surplus threads.
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

// spawned holds the processes that were started.
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

// killSpawned kills the remaining processes. Processes that have ended are not affected.
func killSpawned() {
	spawned.Lock()
	defer spawned.Unlock()
	for _, process := range spawned.all {
		_ = process.Process.Kill()
	}
}
