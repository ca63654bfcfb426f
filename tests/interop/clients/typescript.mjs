// Drives a server with one of the official TypeScript clients: reads what to do as JSON from standard input, prints what the client saw.
import { text } from "node:stream/consumers";

const job = JSON.parse(await text(process.stdin));
const NEGOTIATION = {
  modern: { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  automatic: { versionNegotiation: { mode: "auto" } },
  legacy: { versionNegotiation: { mode: "legacy" } },
  "2025-06-18": { supportedProtocolVersions: ["2025-06-18"] },
  "2025-03-26": { supportedProtocolVersions: ["2025-03-26"] },
};

// What the client can be asked, where it can be.
const CAPABILITIES = job.asked ? { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} } : {};

// Answers what the server asks as a step says, and keeps what was asked, both by method.
const user = {
  begin(step) {
    this.answers = structuredClone(step.answers ?? {});
    this.asked = {};
  },
  answer({ method, params }) {
    (this.asked[method] ??= []).push(params ?? {});
    const answer = this.answers[method]?.shift();
    if (answer === undefined) throw new Error(`unexpected: ${method}`);
    return answer;
  },
};

// The members in which the two major versions differ.
async function load(sdk) {
  if (sdk === "2") {
    const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    return {
      StdioClientTransport,
      StreamableHTTPClientTransport,
      client: new Client({ name: "interop", version: "1.0.0" }, { capabilities: CAPABILITIES, ...NEGOTIATION[job.mode] }),
      on: (client, method, handler) => client.setRequestHandler(method, handler),
      call: (client, params, options) => client.callTool(params, options),
      alive: (client) => (client.getProtocolEra() === "modern" ? client.discover() : client.ping()),
    };
  }
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const types = await import("@modelcontextprotocol/sdk/types.js");
  const requests = {
    "elicitation/create": types.ElicitRequestSchema,
    "sampling/createMessage": types.CreateMessageRequestSchema,
    "roots/list": types.ListRootsRequestSchema,
  };
  return {
    StdioClientTransport,
    StreamableHTTPClientTransport,
    client: new Client({ name: "interop", version: "1.0.0" }, { capabilities: CAPABILITIES }),
    on: (client, method, handler) => client.setRequestHandler(requests[method], handler),
    call: (client, params, options) => client.callTool(params, undefined, options),
    alive: (client) => client.ping(),
  };
}

const { StdioClientTransport, StreamableHTTPClientTransport, client, on, call, alive } = await load(job.sdk);

function transport(server) {
  if (server.url) return new StreamableHTTPClientTransport(new URL(server.url));
  return new StdioClientTransport({ command: server.command, args: server.arguments });
}

const LISTS = {
  tools: ["listTools", "tools"],
  resources: ["listResources", "resources"],
  templates: ["listResourceTemplates", "resourceTemplates"],
  prompts: ["listPrompts", "prompts"],
};

async function list(step) {
  const [method, member] = LISTS[step.list];
  const items = [];
  let cursor = step.cursor;
  do {
    const page = await client[method](cursor === undefined ? undefined : { cursor }, { cacheMode: "refresh" });
    items.push(...page[member]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { items };
}

async function callTool(step) {
  const params = { name: step.call, arguments: step.arguments };
  if (!step.progress && !step.cancel) return { result: await call(client, params) };
  const progress = [];
  const abort = new AbortController();
  const onprogress = (report) => {
    progress.push(report);
    if (step.cancel) abort.abort("enough");
  };
  try {
    return { result: await call(client, params, { onprogress, signal: abort.signal }), progress };
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    return { cancelled: true, progress };
  }
}

async function perform(step) {
  if (step.list) return list(step);
  if (step.call) return callTool(step);
  if (step.read) return { result: await client.readResource({ uri: step.read }, { cacheMode: "refresh" }) };
  if (step.prompt) return { result: await client.getPrompt({ name: step.prompt, arguments: step.arguments }) };
  if (step.complete) return { result: await client.complete(step.complete) };
  await alive(client);
  return { alive: true };
}

let revision;
const channel = transport(job.server);
const setProtocolVersion = channel.setProtocolVersion?.bind(channel);
channel.setProtocolVersion = (version) => {
  revision = version;
  setProtocolVersion?.(version);
};
if (job.asked) {
  for (const method of ["elicitation/create", "sampling/createMessage", "roots/list"]) on(client, method, (request) => user.answer(request));
}
await client.connect(channel);

const steps = {};
for (const step of job.steps) {
  user.begin(step);
  try {
    steps[step.name] = await perform(step);
  } catch (error) {
    steps[step.name] = Number.isInteger(error.code)
      ? { error: { code: error.code, message: error.message.replace(/^MCP error -?\d+: /, "") } }
      : { failure: String(error.stack ?? error) };
  }
  steps[step.name].asked = user.asked;
}
const connection = {
  revision,
  server: client.getServerVersion(),
  capabilities: client.getServerCapabilities(),
  instructions: client.getInstructions(),
};
await client.close();
console.log(JSON.stringify({ connection, steps }));
