// Sends random requests to servers in this process, and tells what none of them may do.
import { load } from 'js-yaml';
import { EmbeddedKube, InProcessWebhooks, SeededRandom } from 'embedded-kube';
import { RandomChoices } from '../../support/generators/random.choices.js';
import { type FuzzedRequest, RequestFuzzer } from './request.fuzzer.js';

/** Limits the CPU time of a request, in microseconds: nobody else is served meanwhile. */
const CPU_LIMIT = 1_000_000;
/** Limits the time until an answer is whole, in milliseconds, if no CPU is used. */
const ANSWER_LIMIT = 20_000;
/** A server gets so many requests, so that a failure can be repeated in short time. */
export const BATCH = 500;

/** The outcome of a run. */
export interface FuzzOutcome {
  /** Answers by their code. */
  readonly codes: Map<number, number>;
  /** Violations, each with the seed and the request. */
  readonly failures: string[];
  /** The longest CPU time of a request, in milliseconds, and the request. */
  slowest: { milliseconds: number; request: string };
}

/** Sends so many requests, to a new server after each batch. */
export async function fuzz(count: number, seed: number): Promise<FuzzOutcome> {
  const outcome: FuzzOutcome = { codes: new Map(), failures: [], slowest: { milliseconds: 0, request: '' } };
  for (let batch = 0; batch * BATCH < count; batch += 1) {
    await fuzzBatch(seed + batch, Math.min(BATCH, count - batch * BATCH), outcome);
  }
  return outcome;
}

async function fuzzBatch(seed: number, count: number, outcome: FuzzOutcome): Promise<void> {
  const errors: string[] = [];
  const ignore = (): void => {};
  const logger = { debug: ignore, log: ignore, warn: ignore, error: (message: string) => void errors.push(message) };
  const webhookTransport = new InProcessWebhooks({});
  const kube = await EmbeddedKube.start({
    port: false,
    pods: true,
    logger,
    webhookTransport,
    random: new SeededRandom(seed),
  });
  // Two billion replicas are valid, and their pods would be all that is measured.
  const hard = { pods: '100', 'count/jobs.batch': '100', 'count/replicasets.apps': '100' };
  await kube.client.create({ group: '', plural: 'resourcequotas' }, 'default', {
    metadata: { name: 'limit' },
    spec: { hard },
  });
  const transport = kube.transport();
  const fuzzer = new RequestFuzzer(new RandomChoices(new SeededRandom(seed)));
  try {
    for (let index = 0; index < count; index += 1) {
      const request = fuzzer.next();
      const before = process.cpuUsage();
      const problem = await answerProblem(transport, request, outcome.codes);
      const { user, system } = process.cpuUsage(before);
      const shown = describe(request);
      if ((user + system) / 1000 > outcome.slowest.milliseconds) {
        outcome.slowest = { milliseconds: (user + system) / 1000, request: shown };
      }
      const problems = [
        problem,
        user + system > CPU_LIMIT && `took ${(user + system) / 1e6} s of CPU`,
        ...errors.splice(0),
      ];
      for (const each of problems) if (each) outcome.failures.push(`seed ${seed}, request ${index}: ${each}\n${shown}`);
    }
    const { status } = await transport.request({ method: 'GET', path: '/readyz', headers: {} });
    if (status !== 200) outcome.failures.push(`seed ${seed}: ${status} for /readyz after all`);
  } finally {
    await kube.stop();
  }
}

/** Sends a request. @returns what is wrong with the answer */
async function answerProblem(
  transport: ReturnType<EmbeddedKube['transport']>,
  request: FuzzedRequest,
  codes: Map<number, number>,
): Promise<string | undefined> {
  const timer = new AbortController();
  const deadline = setTimeout(() => timer.abort(new Error('no answer')), ANSWER_LIMIT);
  try {
    const isStream = /watch|follow/i.test(request.path);
    const response = await transport.request({ ...request, signal: timer.signal });
    codes.set(response.status, (codes.get(response.status) ?? 0) + 1);
    if (isStream && response.status === 200) {
      await response.chunks()[Symbol.asyncIterator]().return?.();
      return undefined;
    }
    return statusProblem(response.status, response.headers['content-type'] ?? '', await response.text());
  } catch (error) {
    return `the request was rejected: ${error instanceof Error ? (error.stack ?? '') : String(error)}`;
  } finally {
    clearTimeout(deadline);
  }
}

/**
 * Every error is a `Status` that says its code; but paths that are no resources are unknown in plain text, as on the real server.
 * Errors of the server's own are in its log: 500 alone says nothing, as the real server has it for some bad input, too.
 */
function statusProblem(code: number, type: string, text: string): string | undefined {
  if (code < 400) return undefined;
  if (code === 404 && type.startsWith('text/plain') && text === '404 page not found\n') return undefined;
  try {
    const status = (type === 'application/yaml' ? load(text) : JSON.parse(text)) as Readonly<Record<string, unknown>>;
    if (status['kind'] === 'Status' && status['code'] === code && status['status'] === 'Failure') return undefined;
  } catch {
    // It is no Status.
  }
  return `${code} without a Status: ${type}: ${text.slice(0, 500)}`;
}

function describe({ method, path, headers, body }: FuzzedRequest): string {
  const shown = body !== undefined && body.length > 700 ? `${body.slice(0, 700)}… (${body.length})` : body;
  return `${method} ${path.slice(0, 400)} ${JSON.stringify(headers).slice(0, 500)}\n${shown ?? ''}`;
}
