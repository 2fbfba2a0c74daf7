// Puts an npm client to work on a node: append, read, filter, subscribe,
// delete, and 2,000 appends at once. By environment: MODULES, the folder with
// node_modules; CLIENT, the package; URL, the node, where everything is
// allowed; READER_URL and STRANGER_URL, over TLS only, the same node as
// somebody who may only read and as nobody. Prints one line of JSON for each
// test: name, and error when it failed.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import path from "node:path";

const limit = 60_000; // of a test, in milliseconds
const { MODULES, CLIENT, URL: url, READER_URL: readerURL, STRANGER_URL: strangerURL } = process.env;
const api = createRequire(path.join(MODULES, "script.js"))(CLIENT);
const Client = api.EventStoreDBClient ?? api.KurrentDBClient;
const client = Client.connectionString(url);
const { jsonEvent, binaryEvent, eventTypeFilter, streamNameFilter, FORWARDS, BACKWARDS, START, END, ANY, NO_STREAM } = api;

// expect is the expected revision, under the names of both clients.
const expect = (revision) => ({ expectedRevision: revision, streamState: revision });
const event = (type, data) => jsonEvent({ id: randomUUID(), type, data, metadata: { actor: "conformance" } });
const fresh = (kind) => `${kind}-${randomUUID()}`;
const collect = async (read) => {
  const all = [];
  for await (const resolved of read) all.push(resolved.event);
  return all;
};
const numbers = (events) => events.map((e) => e.data.n);

// within fails when a promise takes too long.
const within = (what, promise) => {
  let timer;
  const late = new Promise((_, refuse) => (timer = setTimeout(() => refuse(new Error(`not within ${limit} ms: ${what}`)), limit)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

// follow reads a subscription until enough have come, and meanwhile runs then
// once the first have come.
const follow = async (subscription, enough, then) => {
  const got = [];
  try {
    await within("the events of a subscription", new Promise((done, refuse) => {
      subscription.on("error", refuse);
      subscription.on("data", (resolved) => {
        if (!resolved.event) return;
        got.push(resolved.event);
        if (got.length === 1 && then) then().catch(refuse);
        if (got.length >= enough) done();
      });
    }));
  } finally {
    await subscription.unsubscribe();
  }
  return got;
};

const failsAs = async (name, promise) => {
  const error = await promise.then(() => assert.fail(`succeeded instead of ${name}`), (e) => e);
  assert.equal(error.constructor.name, name, `${error.constructor.name}: ${error.message}`);
  return error;
};

const tests = {
  async "append and read back"() {
    const stream = fresh("order");
    const [first, second] = [event("placed", { n: 0 }), event("paid", { n: 1 })];
    const raw = binaryEvent({ id: randomUUID(), type: "scanned", data: Buffer.from([0, 255]) });
    const done = await client.appendToStream(stream, [first, second, raw], expect(NO_STREAM));
    assert.equal(done.nextExpectedRevision, 2n);
    const got = await collect(client.readStream(stream));
    assert.deepEqual(got.map((e) => [e.id, e.type, e.revision, e.streamId]), [
      [first.id, "placed", 0n, stream], [second.id, "paid", 1n, stream], [raw.id, "scanned", 2n, stream],
    ]);
    assert.deepEqual(got[0].data, { n: 0 });
    assert.deepEqual(got[0].metadata, { actor: "conformance" });
    assert.deepEqual([...got[2].data], [0, 255]);
    assert.ok(Math.abs(Date.now() - new Date(got[0].created)) < limit, `created ${got[0].created}`);
    assert.deepEqual(numbers(await collect(client.readStream(stream, { direction: BACKWARDS, fromRevision: 1n, maxCount: 1 }))), [1]);
  },
  async "expected revisions"() {
    const stream = fresh("order");
    const first = event("placed", { n: 0 });
    const done = await client.appendToStream(stream, first, expect(NO_STREAM));
    const refused = await failsAs("WrongExpectedVersionError", client.appendToStream(stream, event("placed", { n: 1 }), expect(NO_STREAM)));
    assert.equal(refused.actualVersion ?? refused.actualState, 0n);
    await failsAs("WrongExpectedVersionError", client.appendToStream(stream, event("placed", { n: 1 }), expect(7n)));
    const again = await client.appendToStream(stream, first, expect(NO_STREAM));
    assert.equal(again.nextExpectedRevision, done.nextExpectedRevision);
    await client.appendToStream(stream, event("placed", { n: 1 }), expect(0n));
    assert.deepEqual(numbers(await collect(client.readStream(stream))), [0, 1]);
  },
  async "an append that is too large"() {
    const stream = fresh("large");
    await failsAs("MaxAppendSizeExceededError", client.appendToStream(stream, event("big", { text: "x".repeat(1 << 21) })));
    await failsAs("StreamNotFoundError", collect(client.readStream(stream)));
  },
  async "read of a missing stream"() {
    await failsAs("StreamNotFoundError", collect(client.readStream(fresh("none"))));
  },
  async "read of all"() {
    const stream = fresh("order");
    await client.appendToStream(stream, [event("placed", { n: 0 }), event("paid", { n: 1 })]);
    const last = await collect(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 2 }));
    assert.deepEqual(numbers(last), [1, 0]);
    const from = await collect(client.readAll({ direction: FORWARDS, fromPosition: last[1].position, maxCount: 1 }));
    assert.equal(from[0].id, last[1].id);
  },
  async "filters"() {
    const kind = fresh("filter");
    await client.appendToStream(`${kind}-a`, [event(`${kind}.x`, { n: 0 }), event(`${kind}.y`, { n: 1 })]);
    await client.appendToStream(`${kind}-b`, event(`${kind}.x`, { n: 2 }));
    await client.appendToStream(fresh("other"), event("other", { n: 3 }));
    const filters = [
      [streamNameFilter({ prefixes: [`${kind}-a`] }), [0, 1]],
      [streamNameFilter({ regex: `^${kind}-[ab]$` }), [0, 1, 2]],
      [eventTypeFilter({ prefixes: [`${kind}.y`, `${kind}.z`] }), [1]],
      [eventTypeFilter({ regex: `^${kind}\\.x$` }), [0, 2]],
    ];
    for (const [filter, want] of filters) {
      assert.deepEqual(numbers(await follow(client.subscribeToAll({ fromPosition: START, filter }), want.length)), want);
      if (CLIENT.startsWith("@kurrent/")) { // the other one cannot ask for it
        assert.deepEqual(numbers(await collect(client.readAll({ filter }))), want);
      }
    }
  },
  async "checkpoints of a filtered subscription"() {
    const stream = fresh("noise");
    for (let i = 0; i < 10; i++) await client.appendToStream(stream, event("noise", { n: i }));
    let reached;
    const checkpoint = new Promise((done) => (reached = done));
    const subscription = client.subscribeToAll({
      fromPosition: START,
      filter: streamNameFilter({ prefixes: [fresh("nothing")], maxSearchWindow: 5, checkpointInterval: 1, checkpointReached: (_, at) => reached(at) }),
    });
    subscription.on("data", () => {});
    try {
      const at = await within("a checkpoint", checkpoint);
      assert.ok(at.commit > 0n);
    } finally {
      await subscription.unsubscribe();
    }
  },
  async "subscription to a stream, history and live"() {
    const stream = fresh("order");
    await client.appendToStream(stream, [event("placed", { n: 0 }), event("paid", { n: 1 })]);
    const live = () => client.appendToStream(stream, event("sent", { n: 2 }));
    assert.deepEqual(numbers(await follow(client.subscribeToStream(stream, { fromRevision: START }), 3, live)), [0, 1, 2]);
    assert.deepEqual(numbers(await follow(client.subscribeToStream(stream, { fromRevision: 0n }), 2)), [1, 2]);
  },
  async "stream metadata"() {
    const stream = fresh("order");
    await client.appendToStream(stream, [0, 1, 2].map((n) => event("placed", { n })));
    await client.setStreamMetadata(stream, { maxCount: 2, owner: "conformance" });
    assert.deepEqual(numbers(await collect(client.readStream(stream))), [1, 2]);
    const { metadata } = await client.getStreamMetadata(stream);
    assert.equal(metadata.maxCount, 2);
    assert.equal(metadata.owner, "conformance");
    await client.setStreamMetadata(stream, { truncateBefore: 2 });
    assert.deepEqual(numbers(await collect(client.readStream(stream))), [2]);
  },
  async "delete, begin again, tombstone"() {
    const stream = fresh("order");
    await client.appendToStream(stream, event("placed", { n: 0 }));
    await failsAs("WrongExpectedVersionError", client.deleteStream(stream, { expectedRevision: 5n }));
    await client.deleteStream(stream, { expectedRevision: 0n });
    await failsAs("StreamNotFoundError", collect(client.readStream(stream)));
    const again = await client.appendToStream(stream, event("placed", { n: 1 }), expect(NO_STREAM));
    assert.equal(again.nextExpectedRevision, 1n);
    assert.deepEqual(numbers(await collect(client.readStream(stream))), [1]);
    await client.tombstoneStream(stream, { expectedRevision: ANY });
    await failsAs("StreamDeletedError", collect(client.readStream(stream)));
    await failsAs("StreamDeletedError", client.appendToStream(stream, event("placed", { n: 2 })));
  },
  async "2,000 appends at once"() {
    const [streams, each] = [8, 250];
    const kind = fresh("many");
    await Promise.all(Array.from({ length: streams * each }, (_, i) =>
      client.appendToStream(`${kind}-${i % streams}`, event("counted", { n: i }), expect(ANY))));
    const seen = new Set();
    for (let s = 0; s < streams; s++) {
      const got = await collect(client.readStream(`${kind}-${s}`));
      assert.deepEqual(got.map((e) => Number(e.revision)), Array.from({ length: each }, (_, i) => i));
      got.forEach((e) => seen.add(e.data.n));
    }
    assert.equal(seen.size, streams * each);
  },
  async "discovery by gossip"() {
    const stream = fresh("order");
    const discovering = Client.connectionString(url.replace("://", "+discover://"));
    await discovering.appendToStream(stream, event("placed", { n: 0 }), expect(NO_STREAM));
    assert.deepEqual(numbers(await collect(discovering.readStream(stream))), [0]);
    await discovering.dispose();
  },
  async "what is not served is refused"() {
    const settings = api.persistentSubscriptionToStreamSettingsFromDefaults();
    const error = await client.createPersistentSubscriptionToStream(fresh("order"), "group", settings).then(() => assert.fail("succeeded"), (e) => e);
    assert.match(`${error.constructor.name} ${error.message}`, /persistent subscription|Unsupported/i);
  },
};

if (readerURL) {
  tests["a reader reads and may not write"] = async () => {
    const stream = fresh("order");
    await client.appendToStream(stream, event("placed", { n: 0 }));
    const reader = Client.connectionString(readerURL);
    assert.deepEqual(numbers(await collect(reader.readStream(stream))), [0]);
    assert.deepEqual(numbers(await follow(reader.subscribeToAll({ fromPosition: START, filter: streamNameFilter({ prefixes: [stream] }) }), 1)), [0]);
    await failsAs("AccessDeniedError", reader.appendToStream(stream, event("placed", { n: 1 })));
    await failsAs("AccessDeniedError", reader.deleteStream(stream));
    await failsAs("AccessDeniedError", reader.tombstoneStream(stream));
    assert.deepEqual(numbers(await collect(client.readStream(stream))), [0]);
    await reader.dispose();
  };
  tests["a stranger is refused"] = async () => {
    const stranger = Client.connectionString(strangerURL);
    const refused = async (promise) => {
      const error = await within("a refusal", promise.then(() => assert.fail("succeeded"), (e) => e));
      assert.match(`${error.constructor.name} ${error.message}`, /unauthenticated|not authenticated|AccessDenied|name and password/i);
    };
    await refused(collect(stranger.readAll({ maxCount: 1 })));
    await refused(stranger.appendToStream(fresh("order"), event("placed", { n: 0 })));
    await stranger.dispose();
  };
}

for (const [name, test] of Object.entries(tests)) {
  const told = { name };
  try {
    await within("the whole test", test());
  } catch (e) {
    told.error = e.stack ?? String(e);
  }
  console.log(JSON.stringify(told));
}
await client.dispose();
process.exit(0); // clients keep timers
