# bash completion for torchprof's tools. Options come from the tools' own
# --help-all, so that this file never lags behind them.

# Descriptions and examples name options too, but no line of them begins with one.
_torchprof_options() { # COMMAND...
  "$@" --help-all 2>/dev/null |
    sed -nE 's/^ +(--[a-z][a-z0-9-]*=?).*/\1/p' | sort -u
}

# The report's commands, from the indented lines of its help.
_torchprof_report_commands() {
  torchprof-report --help 2>/dev/null |
    sed -nE 's/^  ([a-z]+)( .*)?$/\1/p' | sort -u
}

_torchprof() {
  local word=${COMP_WORDS[COMP_CWORD]} tool=${COMP_WORDS[0]##*/} first=1 also=
  COMPREPLY=()
  if [ "$tool" = torchprof ]; then
    if [ "$COMP_CWORD" -eq 1 ]; then
      mapfile -t COMPREPLY < <(compgen -W "record opt run report doctor \
        version help --print-runtime-path --print-preload-path" -- "$word")
      return
    fi
    case ${COMP_WORDS[1]} in
    opt | run | report) tool=torchprof-${COMP_WORDS[1]} first=2 ;;
    # With a command it is the one tool, with a model the other.
    record) tool=torchprof-record also=torchprof-run first=2 ;;
    help)
      mapfile -t COMPREPLY < <(compgen -W "opt record run report" -- "$word")
      return
      ;;
    *) return ;;
    esac
  fi
  # Behind -- stands a command of the user's.
  if [[ " ${COMP_WORDS[*]:first:COMP_CWORD-first} " == *" -- "* ]]; then
    compopt -o default
  elif [ "$tool" = torchprof-report ] && [ "$COMP_CWORD" -eq "$first" ] &&
    [[ $word != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_torchprof_report_commands)" \
      -- "$word")
  elif [[ $word == -* ]]; then
    local command=("$tool")
    if [ "$tool" = torchprof-report ] && [ "$COMP_CWORD" -gt "$first" ]; then
      command+=("${COMP_WORDS[first]}")
    fi
    mapfile -t COMPREPLY < <(compgen -W "$(_torchprof_options "${command[@]}") \
      ${also:+$(_torchprof_options "$also")}" -- "$word" | sort -u)
    if [[ ${COMPREPLY[0]:-} == *= ]]; then compopt -o nospace; fi
  else
    compopt -o default
  fi
}

complete -F _torchprof torchprof torchprof-opt torchprof-record torchprof-run \
  torchprof-report
