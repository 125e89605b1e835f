# fish completion of PROGRAM: source this file, or put it into
# ~/.config/fish/completions/PROGRAM.fish
function __PROGRAM_complete
    set -l words (commandline -opc)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    $program __complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c PROGRAM -n 'test (count (__PROGRAM_complete)) -gt 0' -f -a '(__PROGRAM_complete)'
