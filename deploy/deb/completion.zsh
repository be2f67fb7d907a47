#compdef mintmark
# The program completes its own command line, as bash's complete -C asks for it.
autoload -U +X bashcompinit && bashcompinit
_bash_complete -o default -o bashdefault -C '/usr/bin/mintmark'
