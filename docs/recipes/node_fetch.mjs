// Mintmark in a test of Node 20 or newer, with fetch and nothing else.
//
// Run it with the program on the PATH, or named by MINTMARK:
//
//     MINTMARK=bin/mintmark node docs/recipes/node_fetch.mjs

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHmac, timingSafeEqual } from "node:crypto";
import { on, once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

// 1. Start a sandbox of your own: free ports, data in memory. When it is ready it prints one line.
const sandbox = spawn(
  process.env.MINTMARK ?? "mintmark",
  ["sandbox", "--print-json", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"],
  { stdio: ["ignore", "pipe", "ignore"] },
);
const ended = once(sandbox, "exit");

// A receiver of webhooks. Keep the bytes as they came: the signature is over them.
const receiver = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    receiver.emit("webhook", request.headers, Buffer.concat(parts));
    response.writeHead(204).end();
  });
});

// verified reports whether a webhook is signed with the secret (Standard Webhooks).
function verified(secret, headers, body) {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const want = createHmac("sha256", key)
    .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`)
    .update(body)
    .digest();
  const recent = Math.abs(Date.now() / 1000 - Number(headers["webhook-timestamp"])) < 300;
  return recent && headers["webhook-signature"].split(" ").some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ""), "base64");
    return one.startsWith("v1,") && given.length === want.length && timingSafeEqual(given, want);
  });
}

// send returns the status and the JSON of an answer, whatever the status is.
async function send(method, url, body, headers = {}) {
  const answer = await fetch(url, {
    method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  return { status: answer.status, json: text ? JSON.parse(text) : null };
}

try {
  const [line] = await once(createInterface(sandbox.stdout), "line");
  const ready = JSON.parse(line);
  const basic = Buffer.from(`example1:${ready.keys.example1}`).toString("base64");
  const call = (path, body) =>
    send(body ? "POST" : "GET", ready.url + path, body, { Authorization: `Basic ${basic}` });
  const control = (method, path, body) =>
    send(method, `${ready.adminUrl}/sandbox/v1/${path}`, body);

  // 2. Subscribe to events. The secret is shown once.
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const webhooks = on(receiver, "webhook", { signal: AbortSignal.timeout(30_000) });
  const webhook = await send(
    "POST", `${ready.adminUrl}/admin/v1/programs/1/webhooks`,
    { name: "recipe", url: `http://127.0.0.1:${receiver.address().port}/` },
    { Authorization: "Bearer sandbox-administrator" },
  );
  assert.equal(webhook.status, 201);

  // 3. Order a card, find it by its tag, and verify it.
  async function order(tag) {
    const made = await call("/card/initiate", {
      customerId: 1001, cardHolderCustomerId: 1001, vendorTypeCode: "VS", primaryAccountId: 2001,
      firstName: "Ada", lastName: "Example", nickName: tag, tag,
    });
    assert.equal(made.status, 200, JSON.stringify(made.json));
    return (await call(`/card/getbytag/1001/${tag}`)).json.data.cardId;
  }
  const card = await order("recipe-1");
  let answer = await call("/card/verify", {
    customerId: 1001, cardId: card, birthDate: "1985-03-14", cardNumberMasked: "1111",
  });
  assert.equal(answer.json.data.status, "Verified");
  console.log("verified card", card);

  // 4. Take the webhook about it, and check its signature before you read it.
  for await (const [headers, body] of webhooks) {
    assert(verified(webhook.json.secret, headers, body));
    assert(!verified(webhook.json.secret, headers, Buffer.concat([body, Buffer.from(" ")])));
    const event = JSON.parse(body);
    if (event.type === "card.verified" && event.cardId === card) {
      console.log("webhook", event.type);
      break;
    }
  }

  // 5. Move the clock. A card that nobody has verified in 90 days has expired.
  const other = await order("recipe-2");
  answer = await control("PUT", "clock", { advance: "P91D" });
  assert.equal(answer.status, 200, JSON.stringify(answer.json));
  answer = await call(`/card/get/1001/${other}`);
  assert.equal(answer.json.data.status, "Expired");
  console.log("expired card", other);

  // 6. Provoke an error: the next lock is answered 503, and the one after it works again.
  answer = await control("POST", "faults", { route: "/card/lock", code: 50503, times: 1 });
  assert.equal(answer.status, 201, JSON.stringify(answer.json));
  const lock = { customerId: 1001, cardId: card, lockReasonTypeCode: "TMP" };
  answer = await call("/card/lock", lock);
  assert.equal(answer.status, 503);
  assert.equal(answer.json.errors[0].code, 50503);
  answer = await call("/card/lock", lock);
  assert.equal(answer.json.data.lockTypeCode, "CST");
  console.log("locked card", card);
} finally {
  receiver.close();
  receiver.closeAllConnections();
  sandbox.kill();
  await ended;
}
