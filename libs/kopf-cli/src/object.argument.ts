import { ApiNotFoundError, type KubeObject, type Resource, UnknownResourceError } from 'nestjs-kopf';
import { explainName } from 'nestjs-kopf/tooling';
import type { ClusterConnection } from './cluster.connection.js';
import { CommandError, UsageError } from './exit.codes.js';

/** The resource, or its name, and the name of the object. */
export type ObjectReference = readonly [resource: string | Resource, name: string];

/**
 * Reads which object is meant: `evc/my-claim` or `evc my-claim`, as for kubectl.
 *
 * @throws UsageError if it is neither.
 */
export function parseObjectArgument(words: readonly string[]): readonly [resource: string, name: string] {
  const parts = words.length === 1 ? words[0].split('/') : words;
  if (parts.length === 2 && parts.every((part) => explainName(part) === undefined)) return [parts[0], parts[1]];
  throw new UsageError(`Name one object, as RESOURCE/NAME or RESOURCE NAME, not ${JSON.stringify(words.join(' '))}.`);
}

/** @throws CommandError if there is no such resource or no such object, UsageError if the name or the namespace is none. */
export async function findObject(
  { client }: ClusterConnection,
  [reference, name]: ObjectReference,
  namespace: string | undefined,
): Promise<{ readonly resource: Resource; readonly body: KubeObject }> {
  const problem = explainName(name) ?? (namespace === undefined ? undefined : explainName(namespace));
  if (problem !== undefined)
    throw new UsageError(`The ${explainName(name) ? 'name' : 'namespace'} of the object ${problem}.`);
  const resource = typeof reference === 'string' ? await findResource(client, reference) : reference;
  try {
    return { resource, body: await client.get(resource, name, { namespace }) };
  } catch (error) {
    if (!(error instanceof ApiNotFoundError)) throw error;
    const where = resource.namespaced ? ` in the namespace ${namespace ?? 'default'}` : '';
    throw new CommandError(`There is no ${resource.kind} ${name}${where}.`);
  }
}

/** @throws CommandError if there is none, or several could be meant. */
export async function findResource(client: ClusterConnection['client'], reference: string): Promise<Resource> {
  try {
    return await client.resolve(reference);
  } catch (error) {
    if (error instanceof UnknownResourceError) throw new CommandError(error.message, { cause: error });
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
