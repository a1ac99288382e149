import type { OpenApiDocuments } from '../discovery/openapi/open-api.documents.js';
import type { OpenApiText } from '../discovery/openapi/open-api.text.js';
import { type ApiResponse, singleChunk } from './api.request.js';

const SWAGGER_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const PREFIX = '/openapi/v3/';
const JSON_TYPE = { 'content-type': 'application/json' };

/** The handler of requests for OpenAPI documents. */
export class OpenApiHandler {
  constructor(private readonly documents: OpenApiDocuments) {}

  /**
   * @param known the tags of the documents that the client has already, as `If-None-Match` lists them
   * @returns `undefined` if no document has this path
   */
  handle(path: string, query: URLSearchParams, accept: string, known = ''): Promise<ApiResponse> | undefined {
    if (path === '/openapi/v2' || path === '/openapi/v3' || path.startsWith(PREFIX)) {
      return this.answer(path, query, accept).then((response) => withoutKnown(response, known));
    }
    return undefined;
  }

  private async answer(path: string, query: URLSearchParams, accept: string): Promise<ApiResponse> {
    await this.documents.load();
    if (path === '/openapi/v2') {
      if (accept.includes('proto') && !accept.includes('json')) {
        const body = singleChunk(this.documents.swaggerProtobuf());
        return { status: 200, headers: { 'content-type': SWAGGER_PROTOBUF }, body };
      }
      return text(this.documents.swagger(), { vary: 'Accept' });
    }
    if (path === '/openapi/v3') {
      return {
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: this.documents.index().text,
      };
    }
    const document = this.documents.document(path.slice(PREFIX.length));
    if (!document) return { status: 404, headers: {}, body: '' };
    const hash = query.get('hash');
    if (hash === null) return text(document, { vary: 'Accept' });
    // A document under its hash never changes, so that clients keep it; an outdated hash leads to the document that there is now.
    if (hash === document.hash) return text(document, { vary: 'Accept', 'cache-control': 'public, immutable' });
    const location = `${path}?hash=${document.hash}`;
    return { status: 301, headers: { ...JSON_TYPE, vary: 'Accept', location }, body: '' };
  }
}

/** Answers with 304 for a document that the client has: it is large, and clients that wait for a change ask again and again. */
function withoutKnown(response: ApiResponse, known: string): ApiResponse {
  const { etag, 'content-type': _, ...headers } = response.headers;
  const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return etag && tags.includes(etag) ? { status: 304, headers: { etag, ...headers }, body: '' } : response;
}

function text({ text: body, hash }: OpenApiText, headers: Readonly<Record<string, string>>): ApiResponse {
  return { status: 200, headers: { ...JSON_TYPE, etag: `"${hash}"`, ...headers }, body };
}
