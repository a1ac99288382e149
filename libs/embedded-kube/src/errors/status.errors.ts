import { quoteGo } from '../common/go-quote.js';
import type { FieldError } from './field.error.js';
import { type StatusCause, StatusError } from './status.error.js';

/** A resource or a kind with its group. */
export interface GroupName {
  readonly group: string;
  readonly name: string;
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

/** @param name the object's name; empty if the request has none */
export function forbidden(resource: GroupName, name: string, message: string): StatusError {
  const subject = name ? `${qualified(resource)} ${quoteGo(name)}` : qualified(resource);
  return new StatusError(403, 'Forbidden', `${subject} is forbidden: ${message}`, details(resource, name));
}

export function namespaceTerminating(resource: GroupName, name: string, namespace: string): StatusError {
  const error = forbidden(
    resource,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const message = `namespace ${namespace} is being terminated`;
  const causes = [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }];
  return new StatusError(error.code, error.reason, error.message, { ...error.details, causes });
}

export function notFound(resource: GroupName, name: string): StatusError {
  const message = `${qualified(resource)} ${quoteGo(name)} not found`;
  return new StatusError(404, 'NotFound', message, details(resource, name));
}

/** Makes the error for a path under a known group version that serves no such resource. */
export function unknownResource(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function methodNotAllowed(
  message = 'the server does not allow this method on the requested resource',
): StatusError {
  return new StatusError(405, 'MethodNotAllowed', message, {});
}

export function notAcceptable(accepted: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${accepted.join(', ')}`;
  return new StatusError(406, 'NotAcceptable', message);
}

export function alreadyExists(resource: GroupName, name: string, isBeingDeleted = false): StatusError {
  const prefix = isBeingDeleted ? 'object is being deleted: ' : '';
  const message = `${prefix}${qualified(resource)} ${quoteGo(name)} already exists`;
  return new StatusError(409, 'AlreadyExists', message, details(resource, name));
}

export function conflict(
  resource: GroupName,
  name: string,
  reason = 'the object has been modified; please apply your changes to the latest version and try again',
): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} ${quoteGo(name)}: ${reason}`;
  return new StatusError(409, 'Conflict', message, details(resource, name));
}

export function expired(message: string, continueToken?: string): StatusError {
  return new StatusError(410, 'Expired', message, undefined, continueToken);
}

export function tooLarge(limit: number): StatusError {
  return new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new StatusError(415, 'UnsupportedMediaType', message);
}

/** @param kind the kind with its group */
export function invalid(kind: GroupName, name: string, errors: readonly FieldError[]): StatusError {
  const messages = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))];
  const list = messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`;
  const message = `${qualified(kind)} ${quoteGo(name)} is invalid: ${list}`;
  return new StatusError(422, 'Invalid', message, { ...details(kind, name), causes: errors });
}

export function internalError(message: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ message }],
  });
}

/** Makes the error for a request that is to be sent again later. @param seconds to wait */
export function tooManyRequests(message: string, seconds: number, causes: readonly StatusCause[]): StatusError {
  return new StatusError(429, 'TooManyRequests', message, {
    causes,
    ...(seconds > 0 && { retryAfterSeconds: seconds }),
  });
}

/** Makes the error for a request whose time is over. */
export function requestTimeout(): StatusError {
  const message = 'Timeout: request did not complete within requested timeout - context deadline exceeded';
  return new StatusError(504, 'Timeout', message, {});
}

export function futureVersion(requested: string, current: number): StatusError {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  const message = `Timeout: Too large resource version: ${requested}, current: ${current}`;
  return new StatusError(504, 'Timeout', message, { causes, retryAfterSeconds: 1 });
}

/** Returns `plural.group`, or the plural alone in the core group. */
export function qualified({ group, name }: GroupName): string {
  return group ? `${name}.${group}` : name;
}

function details({ group, name: kind }: GroupName, name: string): { name?: string; group?: string; kind?: string } {
  return { ...(name && { name }), ...(group && { group }), ...(kind && { kind }) };
}
