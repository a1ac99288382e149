import { forbidden } from '../errors/status.errors.js';
import type { StatusError } from '../errors/status.error.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';
import { resourceName } from '../resources/served.resource.js';

/** Returns the error response of a plugin that does not admit a write: it names the object, or what its name is to be generated from. */
export function denied({ served, name, object }: AdmissionAttributes, message: string): StatusError {
  return forbidden(resourceName(served), name || (object?.metadata.generateName ?? 'Unknown'), message);
}

/** Joins the messages of several errors as the real server does. */
export function joined(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`;
}
