complete -o default -o bashdefault -C '/usr/bin/mintmark' mintmark
