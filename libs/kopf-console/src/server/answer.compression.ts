import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { headerOf, type ConsoleRequest } from './console.request.js';

const compressBytes = promisify(gzip);

/** The fewest characters of an answer for which compression is worth its time: the event log, but no list that is fetched again and again. */
const LONG_ANSWER = 32 * 1024;

/** Files are compressed once, so that nearly all of them are worth it. */
const LONG_FILE = 1024;

/**
 * The compression of long answers, and files, for browsers that accept it: over a slow connection, they are there in a third of the time.
 */
export class AnswerCompression {
  /** Compressed files, by what is in them: the same buffer each time. */
  private readonly files = new WeakMap<Buffer, Promise<Buffer>>();

  /** @returns `undefined` if the body is to be sent as it is. */
  async compress(request: Pick<ConsoleRequest, 'raw'>, body: string | Buffer): Promise<Buffer | undefined> {
    const isFile = typeof body !== 'string';
    if (body.length < (isFile ? LONG_FILE : LONG_ANSWER) || !takesGzip(request)) return undefined;
    if (!isFile) return compressBytes(body, { level: constants.Z_BEST_SPEED });
    const known = this.files.get(body) ?? compressBytes(body, { level: constants.Z_BEST_COMPRESSION });
    this.files.set(body, known);
    return known;
  }
}

/** A weight of 0 means that it is not wanted. */
function takesGzip(request: Pick<ConsoleRequest, 'raw'>): boolean {
  const wanted = (headerOf(request, 'accept-encoding') ?? '').split(',').map((each) => each.trim().toLowerCase());
  return wanted.some((each) => /^gzip(?:\s*;\s*q=(?!0(?:\.0*)?$).*)?$/.test(each));
}
