#compdef PROGRAM
# zsh completion of PROGRAM: source this file behind compinit, or put it into a folder of $fpath
# under the name _PROGRAM
_PROGRAM() {
	local line
	local -a found
	while IFS= read -r line; do
		found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
	done < <("${words[1]/#\~\//$HOME/}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
	if (( $#found )); then
		_describe PROGRAM found
	else
		_files
	fi
}
if [[ "${funcstack[1]}" == _PROGRAM ]]; then
	_PROGRAM
else
	compdef _PROGRAM PROGRAM
fi
