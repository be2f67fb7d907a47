#!/bin/sh
# Makes the test key and every vector anew. The README beside says what they are.
set -eu
cd "$(dirname "$0")"

openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out pin-private.pem
openssl pkey -in pin-private.pem -pubout -out pin-public.pem

# encrypt FILE DIGITS [OPTION...] writes the base64 of the encrypted digits.
encrypt() {
    file=$1 digits=$2
    shift 2
    printf %s "$digits" |
        openssl pkeyutl -encrypt -pubin -inkey pin-public.pem "$@" |
        openssl base64 >"$file"
}

for hash in sha1 sha224 sha256 sha384 sha512; do
    for mask in "$hash" sha1; do
        encrypt "$hash-mask-$mask.b64" 4321 -pkeyopt rsa_padding_mode:oaep \
            -pkeyopt "rsa_oaep_md:$hash" -pkeyopt "rsa_mgf1_md:$mask"
    done
done
encrypt zero.b64 0000 -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256
encrypt five-digits.b64 12345 -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256
encrypt pkcs1.b64 4321 -pkeyopt rsa_padding_mode:pkcs1
