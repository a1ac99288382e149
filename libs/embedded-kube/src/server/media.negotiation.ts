import { StatusError } from '../errors/status.error.js';
import { notAcceptable } from '../errors/status.errors.js';
import type { ApiResource } from '../resources/api-resource.js';
import type { ServedResource } from '../resources/served.resource.js';

/** The form of an answer. */
export type ResponseForm = 'object' | 'table' | 'metadata';

/** A form in an encoding. */
export interface Negotiated {
  readonly form: ResponseForm;
  readonly yaml: boolean;
  /** Whether the client accepts protobuf, and nothing else that the server offers. */
  readonly protobuf?: true;
  /** The version of tables and metadata, where it is not the newest. */
  readonly metaVersion?: 'v1beta1';
  /** Whether the client asks for the metadata of a list, not of an object. */
  readonly ofList?: boolean;
}

/** The type of objects in protobuf. */
export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const PLAIN: Negotiated = { form: 'object', yaml: false };
const JSON_TYPES = new Set(['application/json', 'application/*', '*/*', '']);

/**
 * Chooses the first form that the client accepts and the server has.
 *
 * @throws StatusError 406
 */
export function negotiate(accept: string | undefined): Negotiated {
  if (!accept || accept === 'application/json') return PLAIN;
  let protobuf = false;
  for (const clause of byQuality(accept)) {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
    const yaml = type === 'application/yaml';
    if (type === PROTOBUF && !parameters.some((each) => each.startsWith('as='))) protobuf = true;
    if (!yaml && !JSON_TYPES.has(type)) continue;
    const found = formOf(new Map(parameters.map((each) => each.split('=') as [string, string])));
    if (found) return { ...found, yaml };
  }
  if (protobuf) return { form: 'object', yaml: false, protobuf };
  throw notAcceptable(['application/json', 'application/yaml', PROTOBUF]);
}

/**
 * Checks that metadata are asked for as what they are: those of an object, or those of a list.
 *
 * @throws StatusError 406
 */
export function assertListForm(
  { form, ofList }: Negotiated,
  isList: boolean,
  { resource, custom }: ServedResource,
): void {
  if (form !== 'metadata' || ofList === isList) return;
  const asked = `you requested PartialObjectMetadata${isList ? '' : 'List'}`;
  const shown = `${custom ? 'unstructured.Unstructured' : internalKind(resource)}${isList ? 'List' : ''}`;
  const problem = `but the requested object is ${isList ? 'a list' : 'not a list'} (*${shown})`;
  throw new StatusError(406, 'NotAcceptable', `${asked}, ${problem}`);
}

/** Whether errors are written in YAML for a client; a client that accepts nothing that the server offers gets them in JSON. */
export function prefersYaml(accept: string | undefined): boolean {
  if (!accept?.includes('yaml')) return false;
  const known = byQuality(accept).map((clause) => clause.split(';')[0]!.trim());
  return known.find((type) => type === 'application/yaml' || JSON_TYPES.has(type)) === 'application/yaml';
}

/** Sorts the clauses of an `Accept` header, the most wanted first. */
function byQuality(accept: string): readonly string[] {
  const clauses = accept.split(',');
  if (!accept.includes('q=')) return clauses;
  const quality = (clause: string): number => Number(/;\s*q=([\d.]+)/.exec(clause)?.[1] ?? 1);
  return clauses.toSorted((left, right) => quality(right) - quality(left));
}

function formOf(parameters: ReadonlyMap<string, string>): Omit<Negotiated, 'yaml'> | undefined {
  const as = parameters.get('as');
  if (as === undefined) return { form: 'object' };
  const version = parameters.get('v');
  if (parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  const metaVersion: Pick<Negotiated, 'metaVersion'> = version === 'v1beta1' ? { metaVersion: version } : {};
  if (as === 'Table') return { form: 'table', ...metaVersion };
  if (as !== 'PartialObjectMetadata' && as !== 'PartialObjectMetadataList') return undefined;
  return { form: 'metadata', ofList: as.endsWith('List'), ...metaVersion };
}

/** Returns the name that a kind has inside of the real server. */
function internalKind({ group, kind }: ApiResource): string {
  const name = group === '' || group === 'events.k8s.io' ? 'core' : group.split('.')[0];
  return `${name}.${kind}`;
}
