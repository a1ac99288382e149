import type { ConsoleAction, ConsoleActionAnswer, ConsoleActionRequest } from './api.types.js';
import { BASE } from './base.address.js';

/** An answer of the server that is not what was asked for, or none at all: then the status is 0. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/** The values of a query string; those that are undefined or empty are left out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** Forms a path with a query string. */
export function formPath(path: string, values: QueryValues = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== '' && value !== false) query.set(name, String(value));
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/** Requests an answer below `api/`. @throws ApiError */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return send<T>(path, { signal, headers: { accept: 'application/json' } });
}

/** Requests an action. The header proves to the server that no form of another site has sent it. @throws ApiError */
export async function post(action: ConsoleAction, request: ConsoleActionRequest): Promise<ConsoleActionAnswer> {
  return send<ConsoleActionAnswer>(`actions/${action}`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', 'x-kopf-console': '1' },
    body: JSON.stringify(request),
  });
}

async function send<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(new URL(`api/${path}`, BASE), { credentials: 'same-origin', ...init }).catch(
    (error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw new ApiError('The operator does not answer.', 0);
    },
  );
  const body = (await response.json().catch(() => undefined)) as T | { readonly message?: unknown } | undefined;
  if (response.ok && body !== undefined) return body as T;
  throw new ApiError(describeError(response, body as { readonly message?: unknown } | undefined), response.status);
}

function describeError({ status, ok }: Response, body: { readonly message?: unknown } | undefined): string {
  if (ok) return 'The answer cannot be read: is there another server at this address?';
  if (status === 401) return 'You are not signed in any more: load the page again.';
  if (typeof body?.message === 'string') return body.message;
  if (status === 403) return 'You are not allowed to see this.';
  return `The server answers with the status ${status}.`;
}
