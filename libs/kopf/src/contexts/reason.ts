import type { HandlingPurpose } from '../state/storages.js';

/** The meaning of an object's event: for the first four, handlers are called; the others are only logged. */
export const Reason = {
  CREATE: 'create',
  UPDATE: 'update',
  DELETE: 'delete',
  RESUME: 'resume',
  /** Nothing in the essence has changed. */
  NOOP: 'noop',
  /** The object is being deleted, but this operator does not hold it by its finalizer. */
  FREE: 'free',
  /** The object has been deleted. */
  GONE: 'gone',
} as const;

export type Reason = (typeof Reason)[keyof typeof Reason];

/** The purposes of handling in log lines. */
export const PURPOSE_TITLES: Readonly<Record<HandlingPurpose, string>> = {
  create: 'creation',
  update: 'updating',
  delete: 'deletion',
  resume: 'resuming',
};

/** Checks whether handlers are called for the reason. */
export function isHandlingPurpose(reason: string): reason is HandlingPurpose {
  return Object.hasOwn(PURPOSE_TITLES, reason);
}
