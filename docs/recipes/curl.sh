#!/bin/sh
# Mintmark in a shell, with curl, sed and openssl.
#
# Run it with the program on the PATH, or named by MINTMARK:
#
#     MINTMARK=bin/mintmark sh docs/recipes/curl.sh
set -eu

mintmark=${MINTMARK:-mintmark}
dir=$(mktemp -d)
sandbox=''
trap '[ -z "$sandbox" ] || kill "$sandbox"; rm -r "$dir"' EXIT

# member prints a member of JSON that is a number or a text without quotes in it.
member() { printf '%s\n' "$1" | sed -n 's/.*"'"$2"'":"\{0,1\}\([^",}]*\).*/\1/p'; }

# holds ends the script unless an answer holds a text.
holds() {
	case $1 in
	*"$2"*) ;;
	*) echo "no $2 in $1" >&2 && exit 1 ;;
	esac
}

# 1. Start a sandbox of your own: free ports, data in memory. When it is ready it prints one line.
mkfifo "$dir/ready"
"$mintmark" sandbox --print-json --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0 \
	>"$dir/ready" 2>/dev/null &
sandbox=$!
exec 3<"$dir/ready"
read -r ready <&3
url=$(member "$ready" url)
admin=$(member "$ready" adminUrl)
key=example1:$(member "$ready" example1)

# call calls the interface; a body makes it a POST. control moves the sandbox itself, without
# credentials: method, path, body.
call() { curl -sS -u "$key" "$url$1" ${2:+-d "$2"}; }
control() { curl -sS -X "$1" "$admin/sandbox/v1/$2" ${3:+-d "$3"}; }

# 2. Listen to events. The first line says the secret that signs them; add --forward-to URL to have
#    them posted to your program as webhooks.
"$mintmark" listen --server "$admin" --output json --type card.verified --count 1 \
	>"$dir/events" 2>/dev/null &
listener=$!
until [ -s "$dir/events" ]; do sleep 0.1; done

# 3. Order a card, find it by its tag, and verify it.
order() {
	made=$(call /card/initiate '{"customerId":1001,"cardHolderCustomerId":1001,
		"vendorTypeCode":"VS","primaryAccountId":2001,"firstName":"Ada","lastName":"Example",
		"nickName":"'"$1"'","tag":"'"$1"'"}')
	holds "$made" '"status":200'
	found=$(call "/card/getbytag/1001/$1")
	member "$found" cardId
}
card=$(order recipe-1)
answer=$(call /card/verify '{"customerId":1001,"cardId":'"$card"',"birthDate":"1985-03-14",
	"cardNumberMasked":"1111"}')
holds "$answer" '"status":"Verified"'
echo "verified card $card"

# 4. Take the event about it, and check its signature: an HMAC of identifier, timestamp and body.
wait "$listener"
secret=$(member "$(sed -n 1p "$dir/events")" secret)
line=$(sed -n 2p "$dir/events")
body=$(printf '%s' "$line" | sed 's/.*,"event":\(.*\)}$/\1/')
holds "$body" '"cardId":'"$card"
hexkey=$(printf '%s' "${secret#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
want=$(printf '%s' "$(member "$line" webhook-id).$(member "$line" webhook-timestamp).$body" |
	openssl dgst -sha256 -mac HMAC -macopt "hexkey:$hexkey" -binary | openssl base64 -A)
holds "$line" '"webhook-signature":"v1,'"$want"'"'
echo "webhook $(member "$body" type)"

# 5. Move the clock. A card that nobody has verified in 90 days has expired.
other=$(order recipe-2)
answer=$(control PUT clock '{"advance":"P91D"}')
holds "$answer" '"now"'
answer=$(call "/card/get/1001/$other")
holds "$answer" '"status":"Expired"'
echo "expired card $other"

# 6. Provoke an error: the next lock is answered 503, and the one after it works again.
answer=$(control POST faults '{"route":"/card/lock","code":50503,"times":1}')
holds "$answer" '"id"'
lock='{"customerId":1001,"cardId":'$card',"lockReasonTypeCode":"TMP"}'
answer=$(call /card/lock "$lock")
holds "$answer" '"code":50503'
answer=$(call /card/lock "$lock")
holds "$answer" '"lockTypeCode":"CST"'
echo "locked card $card"
