import { StatusError } from '../errors/status.error.js';
import { badRequest } from '../errors/status.errors.js';
import { isJsonObject, type JsonObject } from '../common/json.values.js';
import type { ManagedWrite } from './managed.write.js';
import { metadataOf } from './object.metadata.js';
import type { ValueType } from './value.type.js';
import { validateValue } from './value.validation.js';

/**
 * Gives a configuration back if it can be applied.
 *
 * @throws StatusError 400 if it is of another kind or says who owns what, 500 if it does not fit the schema
 */
export function checkedConfiguration(configuration: unknown, write: ManagedWrite, type: ValueType): JsonObject {
  const { apiVersion = '', kind = '' } = isJsonObject(configuration) ? configuration : {};
  if (!isJsonObject(configuration) || apiVersion !== write.apiVersion || kind !== write.resource.kind) {
    throw badRequest(`invalid object type: ${groupVersion(String(apiVersion))}, Kind=${String(kind)}`);
  }
  const { name = '', namespace = '', managedFields } = metadataOf(configuration);
  if (managedFields !== undefined && managedFields !== null) throw badRequest('metadata.managedFields must be nil');
  const problems = validateValue(configuration, type);
  if (problems.length === 0) return configuration;
  const list = problems.length === 1 ? problems[0] : `errors:\n  ${problems.join('\n  ')}`;
  const subject = `${String(namespace)}/${String(name)}; ${groupVersion(write.apiVersion)}, Kind=${write.resource.kind}`;
  throw new StatusError(500, '', `failed to create typed patch object (${subject}): ${list}`);
}

/** The group and version as messages write them: with a slash, group or not. */
function groupVersion(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
}
