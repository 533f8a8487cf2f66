# Prints what completing the last word of some command lines gives.
complete() { :; }
compopt() { :; }
. "$1"
try() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _torchprof
  echo "$*: ${COMPREPLY[*]}"
}
try torchprof re
try torchprof report sum
try torchprof-report summary --gro
try torchprof opt --inst
try torchprof-run --war
try torchprof-run --inp
try torchprof-run --run
try torchprof-report diff --fail-above=
try torchprof-report summary --thr
try torchprof-report summary --wi
try torchprof-report summary --print
try torchprof-opt --list-p
try torchprof-opt --verif
try torchprof-report --h
try torchprof report --help-a
try torchprof record --m
try torchprof-record --me
try torchprof-record -- python3 --me
try torchprof record -- python3 --me
try torchprof run -- python3 --me
