// Finds where two answers differ, and gives each difference a name by which the guide can accept it.
import type { Answer } from './answer.normaliser.js';
import { valueAt } from './row.changes.js';

/** A difference between two answers. */
export interface Difference {
  /** Names it: `POST services 201 spec.type`, `POST services 422≠201`. Indices and the keys of maps are left out. */
  readonly signature: string;
  readonly real: unknown;
  readonly embedded: unknown;
}

/** Compares two normalised answers to the request. */
export function findDifferences(
  request: { readonly method: string; readonly path: string; readonly compares?: readonly string[] },
  real: Answer,
  embedded: Answer,
): Difference[] {
  const prefix = `${request.method} ${resourceOf(request.path)}`;
  if (real.code !== embedded.code) {
    const shown = [real, embedded].map(({ code, body }) => `${code} ${messageOf(body)}`);
    return [{ signature: `${prefix} ${real.code}≠${embedded.code}`, real: shown[0], embedded: shown[1] }];
  }
  const [left, right] = request.compares
    ? [real, embedded].map((answer) => partsOf(answer, request.compares!))
    : [real, embedded];
  const found: Difference[] = [];
  compareValues(left, right, '', (path, a, b) => {
    found.push({ signature: `${prefix} ${real.code} ${path.replace(/^body\.?/, '')}`.trimEnd(), real: a, embedded: b });
  });
  return found;
}

function partsOf(answer: Answer, parts: readonly string[]): object {
  const paths = parts.filter((part) => part !== 'code');
  return Object.fromEntries(paths.map((path) => [path, valueAt(answer.body, path)]));
}

function messageOf(body: unknown): string {
  const { message } = (body ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : '';
}

/** The resource of a path, with the subresource: `pods/status`; the path itself if it is none of a resource. */
export function resourceOf(path: string): string {
  const [, plural, name, subresource] =
    /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+(?=\/(?!status|finalize)))?\/([^/?]+)(?:\/([^/?]*))?(?:\/([^/?]*))?/.exec(
      path,
    ) ?? [];
  if (!plural) return path.replace(/\?.*$/, '');
  return `${plural}${name ? '/*' : ''}${subresource ? `/${subresource}` : ''}`;
}

function compareValues(
  real: unknown,
  embedded: unknown,
  path: string,
  report: (path: string, real: unknown, embedded: unknown) => void,
): void {
  if (Array.isArray(real) && Array.isArray(embedded) && real.length === embedded.length) {
    for (const [index, each] of real.entries()) compareValues(each, embedded[index], `${path}[]`, report);
  } else if (isMapping(real) && isMapping(embedded)) {
    const left = Object.keys(real);
    const right = Object.keys(embedded);
    for (const key of new Set([...left, ...right])) {
      compareValues(real[key], embedded[key], path ? `${path}.${key}` : key, report);
    }
  } else if (JSON.stringify(real) !== JSON.stringify(embedded)) report(path, real, embedded);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
