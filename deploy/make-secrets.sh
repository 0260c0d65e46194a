#!/bin/sh
# Makes the secrets of compose.yaml: passwords in FOLDER/.env, files in FOLDER/secrets. It needs OpenSSL. Run again, it
# keeps what is there:
#
#   deploy/make-secrets.sh FOLDER
set -eu
cd "${1:?usage: deploy/make-secrets.sh FOLDER}"
umask 077
touch .env
chmod 0600 .env
for user in POSTGRES NATS_LEDGER NATS_EXPORT NATS_WEBHOOK_DISPATCHER; do
  grep -q "^ANNALS_${user}_PASSWORD=" .env && continue
  # NATS reads what begins with a digit as a number.
  printf 'ANNALS_%s_PASSWORD=p%s\n' "$user" "$(openssl rand -hex 24)" >> .env
done
mkdir -p secrets
chmod 0700 secrets
for file in admission-secret webhook-keys log-key; do
  # A key of the log has no id in front.
  id=k1:
  [ "$file" = log-key ] && id=
  [ -e "secrets/$file" ] || printf '%s%s\n' "$id" "$(openssl rand -base64 32)" > "secrets/$file"
  # The containers' user has no name here. Others do not get past the folder above.
  chmod 0444 "secrets/$file"
done
