import { HttpException } from '@nestjs/common';
import { AdmissionError } from '../admission/review/admission.errors.js';

/** One violation in a parameter. */
export interface ParameterProblem {
  /** The path of the field: `spec.disks[0].name`. */
  readonly path: string;
  readonly text: string;
}

/**
 * The error of an object that does not fit a parameter of the handler. It is permanent, as the same object will not fit later either; a
 * review is answered with the code 422. The message has the paths of all violations, and no values.
 */
export class ParameterError extends AdmissionError {
  override readonly code = 'KOPF_PARAMETER';

  /** @param paths the paths of the violating fields: `['spec.size']`. */
  constructor(
    message: string,
    readonly paths: readonly string[],
    options?: ErrorOptions,
  ) {
    super(message, 422, options);
  }
}

/** Creates the error of all violations in a parameter. */
export function createParameterError(problems: readonly ParameterProblem[]): ParameterError {
  return new ParameterError(problems.map(({ text }) => text).join('; '), [
    ...new Set(problems.map(({ path }) => path)),
  ]);
}

/**
 * Passes a parameter through its pipes. Nest's pipes reject requests by exceptions with status codes 4xx; here, they reject the object.
 *
 * @param label the path of the parameter: `spec.size`.
 * @throws ParameterError instead of such exceptions; other errors as they are.
 */
export async function passThroughPipes<T>(label: string | undefined, transform: () => T | Promise<T>): Promise<T> {
  try {
    return await transform();
  } catch (error) {
    if (!(error instanceof HttpException) || error.getStatus() >= 500) throw error;
    const path = label ?? 'a parameter';
    throw new ParameterError(`${path} is rejected: ${messageOf(error)}`, [path], { cause: error });
  }
}

/**
 * Reads the message of an exception: a validating pipe has a list of messages in the response, and only a title as the exception's message.
 */
function messageOf(error: HttpException): string {
  const { message = error.message } = error.getResponse() as { readonly message?: string | readonly string[] };
  return typeof message === 'string' ? message : message.join('; ');
}

/**
 * Describes a violation at a path. Messages of validators can contain the value, which can be a secret: such a message is left out.
 *
 * @param value the validated value.
 */
export function describeSafely(path: string, message: string, value: unknown): string {
  if (reveals(message, value)) return `${path} is not valid`;
  return message.includes(path) ? message : `${path}: ${message}`;
}

function reveals(message: string, value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).some((member) => reveals(message, member));
  }
  const text = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
  return text !== '' && message.includes(text);
}
