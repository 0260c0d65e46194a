#!/bin/sh
# Makes what each service proves itself with: an authority, and in a folder for each service its certificate. For
# compose, and for installations without Kubernetes. It needs OpenSSL:
#
#   deploy/make-certificates.sh FOLDER
#
# Run again, it keeps the authority and renews the certificates; running services read them by themselves. Each
# service gets its own folder alone. Keep ca-key.pem elsewhere: its holder can act as any service.
set -eu
mkdir -p "${1:?usage: deploy/make-certificates.sh FOLDER}"
chmod 0700 "$1"
cd "$1"
umask 077
if [ ! -e ca-key.pem ]; then
  openssl ecparam -genkey -name prime256v1 -noout -out ca-key.pem
  openssl req -x509 -new -sha256 -key ca-key.pem -days 3650 -subj '/CN=Annals authority' -out ca.pem
fi
for service in gateway keys ledger export webhook-dispatcher; do
  mkdir -p "$service"
  openssl ecparam -genkey -name prime256v1 -noout -out "$service/tls.key.new"
  openssl req -new -sha256 -key "$service/tls.key.new" -subj "/CN=annals $service" -out "$service/tls.csr"
  printf '%s\n' 'basicConstraints = critical, CA:FALSE' 'keyUsage = critical, digitalSignature' \
    'extendedKeyUsage = serverAuth, clientAuth' "subjectAltName = DNS:$service.annals.internal" > "$service/tls.ext"
  openssl x509 -req -sha256 -in "$service/tls.csr" -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 365 \
    -extfile "$service/tls.ext" -out "$service/tls.crt.new" 2> /dev/null
  cp ca.pem "$service/ca.crt.new"
  for file in ca.crt tls.key tls.crt; do mv -f "$service/$file.new" "$service/$file"; done
  rm "$service/tls.csr" "$service/tls.ext"
  # The containers' user has no name here. Others do not get past the folder above.
  chmod 0755 "$service"
  chmod 0444 "$service/ca.crt" "$service/tls.crt" "$service/tls.key"
done
