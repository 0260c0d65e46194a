#!/bin/sh
# The image's entrypoint: runs `services/<name>/dist/main.js <verb>` with the options that deploy/node-options.txt
# has for that service, or the command `annals`. Variables that are already set keep their value. It must end in `exec`, so that Node.js
# is process 1 and gets the signals itself.
set -eu
if [ "$1" = annals ]; then
  shift
  exec "${0%/*}/annals" "$@"
fi
service=${1#services/}
service=${service%%/*}
options=
while read -r name words; do
  case $name in
    environment)
      for each in $words; do
        eval "export ${each%%=*}=\"\${${each%%=*}:-${each#*=}}\""
      done
      ;;
    every | "$service") options="$options $words" ;;
  esac
done < "${0%/*}/node-options.txt"
# Without --disable-sigusr1 SIGUSR1 would open a debugger.
# shellcheck disable=SC2086 -- one option a word
exec node --disable-sigusr1 $options "$@"
