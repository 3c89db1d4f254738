#!/bin/sh
# Links an account: starts a session, keeps its QR in a file until it is scanned, and ends once the session is ready.
#
#   (umask 077 && echo 'Authorization: Bearer <token>' > auth)
#   examples/curl/link.sh main qr.png
#
# The token is in a file because every user of the machine can read command lines. GATEWAY_URL and GATEWAY_AUTH name
# another gateway or file. A key needs the scope `manage`.
set -eu
: "${GATEWAY_URL:=http://127.0.0.1:3000}" "${GATEWAY_AUTH:=auth}"
session=${1:?usage: link.sh <session> <file for the QR>} png=${2:?usage: link.sh <session> <file for the QR>}
umask 077 # Whoever scans the QR is linked to: keep it to yourself, and remove it afterwards.
trap 'rm -f "$png" "$png.new"' EXIT

ask() { curl -sS --fail-with-body --max-time 60 -H @"$GATEWAY_AUTH" "$@"; }

answer=$(ask -X POST "$GATEWAY_URL/sessions/$session/start") || { echo "$answer" >&2; exit 1; }
shown=no
while :; do
  case $answer in
    *'"status":"ready"'*) echo "session $session is ready"; exit 0 ;;
    *'"status":"failed"'* | *'"status":"stopped"'*) echo "$answer" >&2; exit 1 ;;
    *'"PASSKEY_REQUIRED"'*) echo "It asks for a passkey: link on its owner's computer." >&2; exit 1 ;;
    *'"status":"qr"'*)
      # The QR changes every 20 to 60 s. A 404 here means that it was just scanned.
      if ask -o "$png.new" -H 'Accept: image/png' "$GATEWAY_URL/sessions/$session/qr" 2>/dev/null; then
        mv "$png.new" "$png" # A viewer never sees an incomplete image.
        [ "$shown" = yes ] || echo "Open $png, and scan it on the phone: Settings, Linked devices, Link a device."
        shown=yes
      fi
      ;;
  esac
  sleep 2
  # 404 `session_not_found`: it was not scanned in time.
  answer=$(ask "$GATEWAY_URL/sessions/$session/status") || { echo "$answer" >&2; exit 1; }
done
