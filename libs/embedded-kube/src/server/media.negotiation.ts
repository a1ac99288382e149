import { notAcceptable } from '../errors/status.errors.js';

/** The form of an answer. */
export type ResponseForm = 'object' | 'table' | 'metadata';

/** A form in an encoding. */
export interface Negotiated {
  readonly form: ResponseForm;
  readonly yaml: boolean;
}

const PLAIN: Negotiated = { form: 'object', yaml: false };
const JSON_TYPES = new Set(['application/json', 'application/*', '*/*', '']);

/**
 * Chooses the first form that the client accepts and the server has.
 *
 * @throws StatusError 406
 */
export function negotiate(accept: string | undefined): Negotiated {
  if (!accept || accept === 'application/json') return PLAIN;
  for (const clause of accept.split(',')) {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
    const yaml = type === 'application/yaml';
    if (!yaml && !JSON_TYPES.has(type)) continue;
    const form = formOf(new Map(parameters.map((each) => each.split('=') as [string, string])));
    if (form) return { form, yaml };
  }
  throw notAcceptable(['application/json', 'application/yaml']);
}

function formOf(parameters: ReadonlyMap<string, string>): ResponseForm | undefined {
  const as = parameters.get('as');
  if (as === undefined) return 'object';
  if (parameters.get('g') !== 'meta.k8s.io' || parameters.get('v') !== 'v1') return undefined;
  if (as === 'Table') return 'table';
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? 'metadata' : undefined;
}
