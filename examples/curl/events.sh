#!/bin/sh
# Follows the events of all sessions, and prints one line for each: its name, a tab, and its JSON. Resumes when the
# stream breaks, when the gateway restarts, and when this is run again: the position is in a file.
#
#   examples/curl/events.sh position | while IFS="$(printf '\t')" read -r name data; do echo "$name: $data"; done
#
# GATEWAY_URL and GATEWAY_AUTH as in link.sh; a key needs the scope `read`. The first run begins with the oldest event
# that the gateway keeps. The event `gap` reports missing events, and why. Ctrl+C ends it.
set -eu
: "${GATEWAY_URL:=http://127.0.0.1:3000}" "${GATEWAY_AUTH:=auth}"
position=${1:?usage: events.sh <file for the position>}
trap 'exit 0' INT

# Saves a position atomically: a crash leaves either the former one or this one.
save() { printf '%s\n' "$1" > "$position.new" && mv "$position.new" "$position"; }

# Reads one stream. Fails if there is no point in opening another.
read_stream() {
  id='' name='' data=''
  while IFS= read -r line; do
    case $line in
      'id: '*) id=${line#id: } ;;
      'event: '*) name=${line#event: } ;;
      'data: '*) data=${line#data: } ;;
      '') # The end of an event, or of a keepalive, which may move the position as well. An incomplete event has none.
        [ -z "$data" ] || printf '%s\t%s\n' "$name" "$data" || return 1
        [ -z "$id" ] || save "$id" || return 1 # Last, so that an unprinted event is sent again.
        id='' name='' data=''
        ;;
      *'status: 408' | *'status: 429') ;;
      *'status: 4'??) echo "$line" >&2; return 1 ;; # After the error as JSON.
    esac
  done
}

seconds=1
while :; do
  began=$(date +%s)
  last=$(cat "$position" 2>/dev/null || :)
  # A comment arrives every 30 s: nothing in 75 s means a dead connection.
  curl -sSN --connect-timeout 10 --speed-limit 1 --speed-time 75 -H @"$GATEWAY_AUTH" -w 'status: %{http_code}\n' \
    ${last:+-H "Last-Event-ID: $last"} "$GATEWAY_URL/events?after=oldest" | read_stream || exit 1
  [ $(($(date +%s) - began)) -lt 60 ] || seconds=1 # That stream worked for a while.
  sleep "$seconds"
  [ "$seconds" -ge 30 ] || seconds=$((seconds * 2))
done
