# bash completion of PROGRAM: source this file, or put it into
# ~/.local/share/bash-completion/completions/PROGRAM
_PROGRAM() {
	local line
	COMPREPLY=()
	while IFS= read -r line; do
		COMPREPLY+=("${line%%$'\t'*}")
	done < <("${COMP_WORDS[0]/#\~\//$HOME/}" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _PROGRAM PROGRAM
