import { nextTurn } from '../common/event-loop.turns.js';

/** The size of a chunk, in bytes: making one takes about a millisecond. */
const CHUNK = 256 * 1024;

/** The number of pieces that are made of objects before other requests are served. */
const TURN = 128;

/** Sends pieces of a long body in chunks, which are made only as fast as the client reads, and other requests are served between them. */
export async function* streamed(pieces: Iterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunk = Buffer.allocUnsafeSlow(CHUNK);
  let used = 0;
  let made = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string' && piece.length > 2 && (made += 1) % TURN === 0) await nextTurn();
    const length = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
    if (used > 0 && used + length > CHUNK) {
      yield chunk.subarray(0, used);
      await nextTurn();
      chunk = Buffer.allocUnsafeSlow(CHUNK);
      used = 0;
    }
    if (length > CHUNK) yield Buffer.from(piece as string);
    else if (typeof piece === 'string') used += chunk.write(piece, used);
    else {
      chunk.set(piece, used);
      used += length;
    }
  }
  if (used > 0) yield chunk.subarray(0, used);
}
