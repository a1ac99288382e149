import type { IncomingMessage } from 'node:http';
import type { ConsoleViewer } from '../console.operator.js';
import { ConsoleError } from '../console.error.js';

/** The most characters of a request's body. */
const LONGEST_BODY = 64 * 1024;

/** A request on any platform: below the path of the console, as it came. */
export interface ConsoleRequest {
  readonly method: string;
  /** The path below that of the console, still escaped: empty, or with a slash at its beginning. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The request of Node. */
  readonly raw: IncomingMessage;
  /** The request of the framework, from which `authenticate` finds its viewer. */
  readonly request: unknown;
  /** The viewer who has signed in; absent without a sign-in. */
  readonly viewer?: ConsoleViewer;
  /** The parsed body, if the framework has parsed it. */
  readonly body?: unknown;
}

/** Reads one header; of several with the name, the first. */
export function headerOf({ raw }: Pick<ConsoleRequest, 'raw'>, name: string): string | undefined {
  const value = raw.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Divides a path below that of the console into its parts.
 *
 * @throws ConsoleError 400 if the path cannot be decoded, or leads out of itself.
 */
export function splitPath(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '');
  try {
    const decoded = parts.map(decodeURIComponent);
    if (decoded.every((part) => part !== '.' && part !== '..' && !/[\\/\0]/.test(part))) return decoded;
  } catch {
    // It is answered as any other bad path.
  }
  throw new ConsoleError(400, 'The path is malformed.');
}

/**
 * Reads the body as an object: the one that the framework has parsed, or what comes over the connection.
 *
 * @throws ConsoleError 400 if it is no object, or too long.
 */
export async function readBody({ raw, body }: ConsoleRequest): Promise<Record<string, unknown>> {
  const parsed = body === undefined ? parse(await readText(raw)) : body;
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Record<string, unknown>;
  throw new ConsoleError(400, 'The body must be a JSON object.');
}

async function readText(raw: IncomingMessage): Promise<string> {
  let text = '';
  raw.setEncoding('utf8');
  for await (const chunk of raw) {
    text += chunk as string;
    if (text.length > LONGEST_BODY) throw new ConsoleError(400, 'The body is too long.');
  }
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
