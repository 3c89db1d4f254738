#!/bin/sh
# Sends a message once, however often this is run with the same key: after a time-out, a broken connection, a crash.
#
#   examples/curl/send.sh main order-4711-shipped '{"type": "text", "to": "+12025550102", "body": "On its way"}'
#   examples/curl/send.sh main order-4711-invoice "{\"type\": \"document\", \"to\": \"+12025550102\",
#     \"filename\": \"invoice.pdf\", \"base64\": \"$(base64 -w 0 invoice.pdf)\"}"
#
# GATEWAY_URL and GATEWAY_AUTH as in link.sh. Prints the message; a key needs the scope `send`.
set -eu
: "${GATEWAY_URL:=http://127.0.0.1:3000}" "${GATEWAY_AUTH:=auth}"
usage='usage: send.sh <session> <key of your own> <message as JSON>'
session=${1:?$usage} key=${2:?$usage} message=${3:?$usage}
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# The message is passed on standard input: other users of the machine can read command lines.
post() {
  printf %s "$message" | curl -sS --max-time 150 -o "$answer" -w '%{http_code}' -H @"$GATEWAY_AUTH" \
    -H 'Content-Type: application/json' -H "Idempotency-Key: $key" --data-binary @- \
    "$GATEWAY_URL/sessions/$session/messages" || true # No answer: 000.
}

for seconds in 1 2 4 8 16 0; do
  status=$(post)
  case $status in
    200) cat "$answer"; echo; exit 0 ;;
    000 | 408 | 429 | 500 | 502 | 503 | 504) ;; # It may have been sent: the key makes a retry safe.
    409) grep -Eq '"(idempotency_in_progress|session_not_ready)"' "$answer" || break ;; # Not yet.
    *) break ;; # Refused: it was not sent.
  esac
  sleep "$seconds"
done
cat "$answer" >&2
echo " (status $status)" >&2
exit 1
