import { HttpException } from '@nestjs/common';
import { AdmissionError } from '../admission/review/admission.errors.js';

/** One thing that is wrong with a parameter. */
export interface ParameterProblem {
  /** The path of the field: `spec.disks[0].name`. */
  readonly path: string;
  readonly text: string;
}

/**
 * Tells that the object does not fit a parameter of the handler. It is permanent, as the same object will not fit later either; a
 * review is answered with the code 422. The message names the paths of what is wrong, and no values.
 */
export class ParameterError extends AdmissionError {
  override readonly code = 'KOPF_PARAMETER';

  /** @param paths the fields that are wrong: `['spec.size']`. */
  constructor(
    message: string,
    readonly paths: readonly string[],
    options?: ErrorOptions,
  ) {
    super(message, 422, options);
  }
}

/** Makes the error of all that is wrong with a parameter. */
export function createParameterError(problems: readonly ParameterProblem[]): ParameterError {
  return new ParameterError(problems.map(({ text }) => text).join('; '), [
    ...new Set(problems.map(({ path }) => path)),
  ]);
}

/**
 * Passes a parameter through its pipes. Pipes of Nest reject requests by exceptions of the 400s; here, it is the object that they reject.
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

/** A pipe that validates gives a list of messages in the response, and a title only as its own message. */
function messageOf(error: HttpException): string {
  const { message = error.message } = error.getResponse() as { readonly message?: string | readonly string[] };
  return typeof message === 'string' ? message : message.join('; ');
}

/**
 * Describes what is wrong at a path. Messages of validators may show the value, which can be a secret: such a message is left out.
 *
 * @param value what was validated, with all that is in it.
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
