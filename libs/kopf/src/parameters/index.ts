/**
 * Decorated parameters of handlers, as an alternative to their context, and the pipe that validates them.
 *
 * @module nestjs-kopf/parameters
 */

export {
  Annotations,
  Diff,
  HandlerContext,
  HandlerLogger,
  IndexRef,
  Labels,
  Memo,
  Meta,
  Name,
  Namespace,
  New,
  ObjectBody,
  ObjectPatch,
  Old,
  Retry,
  Spec,
  Status,
  Stopped,
  Uid,
  type FieldParameter,
  type ValueParameter,
} from './parameter.decorators.js';
export { type ParameterPipe } from './standard-schema.js';
export { KopfValidationPipe } from './kopf-validation.pipe.js';
export { ParameterError } from './parameter.error.js';
export type { StandardSchema, StandardSchemaIssue, StandardSchemaResult } from './standard-schema.js';
