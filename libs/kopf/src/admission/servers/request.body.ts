import type { IncomingMessage } from 'node:http';
import { AdmissionRequestError } from '../review/admission.errors.js';

/**
 * Reads the body of a request.
 *
 * @param limit in bytes; of larger bodies nothing is kept.
 * @throws AdmissionRequestError 413 if it is larger, 400 if the client has gone before its end.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<string> {
  if (Number(request.headers['content-length']) > limit) return Promise.reject(tooLarge(limit));
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else stop(tooLarge(limit));
    };
    const onEnd = (): void => {
      // An error for nothing is not made: it is expensive.
      request.off('close', onGone);
      resolve((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString('utf8'));
    };
    const onGone = (): void => stop(new AdmissionRequestError('The request is incomplete.', 400));
    const stop = (error: AdmissionRequestError): void => {
      request.off('data', onData).off('end', onEnd).pause();
      chunks.length = 0;
      reject(error);
    };
    request.on('data', onData).once('end', onEnd).once('error', onGone).once('close', onGone);
  });
}

function tooLarge(limit: number): AdmissionRequestError {
  return new AdmissionRequestError(`The review is larger than ${limit} bytes.`, 413);
}
