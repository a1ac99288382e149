import { createHash } from 'node:crypto';

/** A document as clients get it. */
export interface OpenApiText {
  /** The document in JSON. */
  readonly text: string;
  /** A hash of the text. */
  readonly hash: string;
}

/** Returns the hash of a document, as the index of version 3 names it. */
export function openApiHash(text: string | Uint8Array): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase();
}
