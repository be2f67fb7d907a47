// What the reference page of a sandbox does beyond the library: it signs in with a demo key, and has
// each example make a card of its own, so that an example can be tried again and again.
"use strict";

// signIn is called when the page is complete.
function signIn() {
  ui.preauthorizeBasic("credentials", "example1", "example1");
}

// Requests with the same Idempotency-Key are the same request, so they name the same card.
const repeated = new Map();

// ownCard is called with each request before it is sent, and returns the one to send. Only what
// still is as in the example is replaced: a tag, a nickname, a card.
async function ownCard(request) {
  const operation = request.loadSpec ? undefined : operationOf(request);
  const sent = operation && parsed(request.body);
  if (!sent) return request;
  const key = request.headers["Idempotency-Key"];
  const same = key + " " + request.url + " " + request.body;
  if (!key || !repeated.has(same)) repeated.set(same, await madeOwn(operation, sent, request));
  request.body = repeated.get(same);
  return request;
}

function operationOf(request) {
  const paths = ui.specSelectors.specJson().toJS().paths;
  const path = new URL(request.url, location.href).pathname;
  return paths[path]?.[request.method.toLowerCase()];
}

function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // the reader has written something else
  }
}

const exampleOf = (operation) => operation.requestBody.content["application/json"].example;

// madeOwn returns the body to send. Where a card cannot be made it is the reader's own.
async function madeOwn(operation, sent, request) {
  const example = exampleOf(operation);
  const own = { ...sent, ...newNames(sent, example) };
  const steps = operation["x-mintmark-before"] ?? [];
  if (steps.length > 0 && sent.cardId === example.cardId) {
    own.cardId = (await newCard(steps, request)) ?? sent.cardId;
  }
  return JSON.stringify(own, null, 2);
}

function newNames(sent, example) {
  const names = {};
  const word = Date.now().toString(36) + Math.floor(Math.random() * 1296).toString(36);
  for (const name of ["tag", "nickName"]) {
    if (sent[name] !== undefined && sent[name] === example[name]) {
      names[name] = example[name] + "-" + word;
    }
  }
  return names;
}

// newCard sends the examples of other operations, and returns the card that they have made.
async function newCard(steps, request) {
  const paths = ui.specSelectors.specJson().toJS().paths;
  const server = request.url.slice(0, -new URL(request.url, location.href).pathname.length);
  let cardId;
  for (const step of steps) {
    const path = Object.keys(paths).find((one) => paths[one].post?.operationId === step);
    const example = exampleOf(paths[path].post);
    const body = { ...example, ...newNames(example, example) };
    if (cardId !== undefined) body.cardId = cardId;
    const answer = await fetch(server + path, {
      method: "POST",
      headers: {
        "Authorization": request.headers.Authorization ?? "",
        "Content-Type": "application/json",
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) return undefined;
    cardId ??= (await answer.json()).data.cardId;
  }
  return cardId;
}
