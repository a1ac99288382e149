import { brotliDecompressSync } from 'node:zlib';
import { openApiHash, type OpenApiText } from './open-api.text.js';
import { PUBLISHED_DOCUMENTS } from './published-documents.data.js';

/**
 * The OpenAPI documents of the built-in kinds, with all texts, as a real server publishes them. This module is imported on demand only: it
 * takes some megabytes, and few servers are asked for a document.
 */
export class PublishedDocuments {
  /** The documents of version 3 by their paths: `version`, `apis/apps`, `apis/apps/v1`. */
  readonly documents: ReadonlyMap<string, OpenApiText>;
  /** The document of version 2. */
  readonly swagger: OpenApiText;

  constructor() {
    const bytes = brotliDecompressSync(Buffer.from(PUBLISHED_DOCUMENTS, 'base64'));
    let end = bytes.indexOf('\n') + 1;
    const lengths = JSON.parse(bytes.toString('utf8', 0, end)) as Record<string, number>;
    const texts = Object.entries(lengths).map(([name, length]): [string, OpenApiText] => [
      name.replace(/^v3\//, ''),
      new PublishedText(bytes.subarray(end, (end += length))),
    ]);
    this.documents = new Map(texts.slice(0, -1));
    [, this.swagger] = texts.at(-1)!;
  }
}

class PublishedText implements OpenApiText {
  private known: string | undefined;

  constructor(private readonly bytes: Buffer) {}

  get text(): string {
    return this.bytes.toString('utf8');
  }

  get hash(): string {
    return (this.known ??= openApiHash(this.bytes));
  }
}

/** The documents, read at the first import, once for all servers of the process: they never change. */
export const PUBLISHED = new PublishedDocuments();
